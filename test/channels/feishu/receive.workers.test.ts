import { describe, expect, test } from "vitest";
import type { InboundEvent, ReceiveResult } from "../../../src/channels/channel.ts";
import { feishu } from "../../../src/channels/feishu/feishu.ts";
import { encrypt, eventOf, makeApp, received, type TestApp } from "./test-app.ts";

const HOUR = 3_600;
const SEC = 1_800_000_000;

function plain(json: unknown): Request {
  const url = "https://isopod.example/channels/feishu/default/webhook";
  return new Request(url, { method: "POST", body: JSON.stringify(json) });
}

async function statusOf(app: TestApp, request: Request): Promise<number> {
  const result = await feishu.receive(request, app.context);
  return result.kind === "refused" ? result.response.status : 200;
}

function only(result: ReceiveResult): InboundEvent {
  const [event, ...others] = result.kind === "events" ? result.events : [];
  if (event === undefined || others.length > 0) throw new Error(`expected one event, got ${JSON.stringify(result)}`);
  return event;
}

async function hear(app: TestApp, message: Record<string, unknown>, sender: Record<string, unknown> = {}) {
  return only(await feishu.receive(app.event(received(app, message, sender)), app.context));
}

const bot = { key: "@_user_1", id: { open_id: "ou_bot" }, name: "Isopod" };
const bob = { key: "@_user_10", id: { open_id: "ou_bob" }, name: "Bob $& Co" };

describe("Feishu's handshake", () => {
  const handshake = (app: TestApp) => ({
    type: "url_verification",
    challenge: "c-1",
    token: app.secrets.verificationToken,
  });

  test("is answered whether it is signed, unsigned, or plain where there is no Encrypt Key", async () => {
    const app = makeApp();
    const sealed = { encrypt: encrypt(handshake(app), app.secrets.encryptKey) };
    const unencrypted = makeApp({}, { FEISHU_ENCRYPT_KEY: undefined });
    for (const [one, request] of [
      [app, app.event(handshake(app))],
      [app, plain(sealed)],
      [unencrypted, plain(handshake(unencrypted))],
    ] as const) {
      const result = await feishu.receive(request, one.context);
      if (result.kind !== "answered") throw new Error(result.kind);
      expect(await result.response?.json()).toEqual({ challenge: "c-1" });
    }
  });

  test("is refused with another token, another key, or unencrypted although there is a key", async () => {
    const app = makeApp();
    const { encryptKey } = app.secrets;
    const other = { ...handshake(app), token: "other" };
    const refused = [
      app.event(other),
      plain({ encrypt: encrypt(other, encryptKey) }),
      plain({ encrypt: encrypt(handshake(app), `${encryptKey}x`) }),
      plain(handshake(app)),
    ];
    for (const request of refused) expect(await statusOf(app, request)).toBe(401);
  });
});

describe("a call of Feishu's webhook", () => {
  test("that is not signed is refused, even if it is encrypted with the key", async () => {
    const app = makeApp();
    expect(await statusOf(app, plain({ encrypt: encrypt(received(app), app.secrets.encryptKey) }))).toBe(401);
    expect(await statusOf(app, plain(received(app)))).toBe(401);
  });

  test("is taken for as long as Feishu repeats it, and refused when it is older or from the future", async () => {
    const app = makeApp();
    const at = (timestamp: number) => statusOf(app, app.event(received(app), { timestamp }));
    expect(await at(SEC - 7 * HOUR)).toBe(200);
    expect(await at(SEC - 9 * HOUR)).toBe(401);
    expect(await at(SEC + HOUR)).toBe(401);
  });

  test("is proved by the Verification Token where there is no Encrypt Key", async () => {
    const app = makeApp({}, { FEISHU_ENCRYPT_KEY: undefined });
    expect(await statusOf(app, plain(received(app)))).toBe(200);
    const forged = received({ secrets: { ...app.secrets, verificationToken: "guess" } });
    expect(await statusOf(app, plain(forged))).toBe(401);
    const old = (token: string) => plain({ uuid: "1", token, type: "event_callback", event: { type: "message" } });
    expect(await statusOf(app, old("guess"))).toBe(401);
    expect(await statusOf(app, old(app.secrets.verificationToken))).toBe(200);
  });

  test("that cannot be decrypted is refused with the setting to compare", async () => {
    const app = makeApp();
    for (const sealed of ["AAAA", "!", encrypt(received(app), "another key")]) {
      const result = await feishu.receive(app.signed(JSON.stringify({ encrypt: sealed })), app.context);
      if (result.kind !== "refused") throw new Error(result.kind);
      expect(result.response.status).toBe(400);
      expect(await result.response.text()).toContain("Encrypt Key");
    }
  });
});

describe("a message of Feishu", () => {
  test("in a group addresses the bot by a mention, which is left out so that a command is one", async () => {
    const app = makeApp();
    const content = JSON.stringify({ text: "@_user_1 /status @_user_10 @_all" });
    const mentions = [bot, bob, { key: "@_all", name: "所有人" }];
    expect(await hear(app, { chat_type: "group", content, mentions })).toMatchObject({
      text: "/status @Bob $& Co @所有人",
      mentioned: true,
      conversation: { kind: "group", id: "oc_1" },
      sender: { id: "ou_ada" },
    });
    expect(await app.calls("bot/v3/info")).toHaveLength(1);
  });

  test("with nothing but the bot's mention keeps it", async () => {
    const content = JSON.stringify({ text: "@_user_1 " });
    expect(
      await hear(makeApp({ botOpenId: "ou_bot" }), { chat_type: "group", content, mentions: [bot] }),
    ).toMatchObject({ text: "@Isopod", mentioned: true });
  });

  test("to others or to all does not address the bot", async () => {
    const app = makeApp({ botOpenId: "ou_bot" });
    const content = JSON.stringify({ text: "@_user_10 hi" });
    expect(await hear(app, { chat_type: "group", content, mentions: [bob] })).toMatchObject({ mentioned: false });
    const toAll = { chat_type: "group", content: JSON.stringify({ text: "@_all hi" }) };
    expect(await hear(app, toAll)).toMatchObject({ text: "@all hi", mentioned: false });
  });

  test("waits at Feishu while it cannot be told who the bot is", async () => {
    const app = makeApp({}, { FEISHU_APP_ID: "cli_unknown" });
    await app.script({ path: "bot/v3/info", status: 500, body: { code: 2200, msg: "Internal Error" } });
    const content = JSON.stringify({ text: "@_user_10 hi" });
    const event = app.event(received(app, { chat_type: "group", content, mentions: [bob] }));
    expect(await statusOf(app, event)).toBe(503);
  });

  test("in a topic is answered by replies to the topic's first message", async () => {
    const topic = { chat_type: "topic_group", root_id: "om_root", parent_id: "om_parent", thread_id: "omt_1" };
    expect(await hear(makeApp(), topic)).toMatchObject({
      conversation: { kind: "group", threadId: "omt_1" },
      replyToId: "om_parent",
      via: "om_root",
    });
    const first = { chat_type: "topic_group", thread_id: "omt_1" };
    expect(await hear(makeApp(), first)).toMatchObject({ via: "om_in_1" });
  });

  test("of an app is passed over, unless the account talks to bots; its own always is", async () => {
    const reasonFor = async (app: TestApp, open_id: string) => {
      const sender = { sender_id: { open_id }, sender_type: "app" };
      const result = await feishu.receive(app.event(received(app, {}, sender)), app.context);
      return result.kind === "answered" ? result.reason : only(result);
    };
    expect(await reasonFor(makeApp(), "ou_other")).toBe("an app wrote it");
    const open = makeApp({ allowBots: true, botOpenId: "ou_bot" });
    expect(await reasonFor(open, "ou_other")).toMatchObject({ sender: { id: "ou_other", isBot: true } });
    expect(await reasonFor(open, "ou_bot")).toBe("the bot itself wrote it");
  });

  test("shows rich text as lines, and brings its pictures", async () => {
    const content = JSON.stringify({
      title: "Plan",
      content: [
        [
          { tag: "text", text: "hi " },
          { tag: "at", user_id: "@_user_10", user_name: "Bob" },
        ],
        [{ tag: "a", text: "docs", href: "https://a.example/x" }],
        [{ tag: "img", image_key: "img_1" }],
        [{ tag: "code_block", language: "GO", text: "x := 1" }],
        [{ tag: "future", text: "?" }],
      ],
    });
    const app = makeApp({ botOpenId: "ou_bot" });
    const message = await hear(app, { message_type: "post", content, mentions: [bob] });
    expect(message).toMatchObject({
      text: "Plan\nhi @Bob $& Co\ndocs (https://a.example/x)\n\n\n```go\nx := 1\n```\n?",
      attachments: [{ mediaType: "image/jpeg", reference: { messageId: "om_in_1", key: "img_1", type: "image" } }],
    });
    const inChinese = JSON.stringify({ zh_cn: { title: "标题", content: [[{ tag: "text", text: "内容" }]] } });
    expect(await hear(app, { message_type: "post", content: inChinese })).toMatchObject({ text: "标题\n内容" });
  });

  test("of every other kind says what it is", async () => {
    const app = makeApp();
    const kinds: [type: string, content: unknown, expected: object][] = [
      ["image", { image_key: "i" }, { text: "", attachments: [{ reference: { type: "image", key: "i" } }] }],
      [
        "file",
        { file_key: "f", file_name: "a.pdf" },
        { attachments: [{ name: "a.pdf", reference: { type: "file" } }] },
      ],
      [
        "audio",
        { file_key: "a", duration: 1500 },
        { attachments: [{ name: "voice-om_in_1.ogg", isVoice: true, seconds: 2 }] },
      ],
      ["media", { file_key: "v", image_key: "c", file_name: "v.mp4" }, { attachments: [{ name: "v.mp4" }] }],
      ["sticker", { file_key: "s" }, { text: "[sticker]", attachments: [] }],
      ["location", { name: "Dam", latitude: "52.3", longitude: "4.8" }, { text: "[location: 52.3, 4.8, Dam]" }],
      ["share_chat", { chat_id: "oc_2" }, { text: "[group card: oc_2]" }],
      ["share_user", { user_id: "ou_2" }, { text: "[contact card: ou_2]" }],
      ["interactive", { title: "T", elements: [[{ tag: "text", text: "x" }]] }, { text: "", quoted: { text: "T\nx" } }],
      ["vote", { topic: "Lunch?", options: ["yes", "no"] }, { text: "Lunch?\nyes\nno" }],
      ["something_new", {}, { text: "[message of the type something_new]" }],
    ];
    for (const [message_type, content, expected] of kinds) {
      expect(await hear(app, { message_type, content: JSON.stringify(content) }), message_type).toMatchObject(expected);
    }
  });
});

describe("other events of Feishu", () => {
  test("a recall is the deletion of its author's message, in the kind of chat that Feishu tells", async () => {
    const app = makeApp();
    const recall = () => app.event(eventOf(app, "im.message.recalled_v1", { message_id: "om_9", chat_id: "oc_1" }));
    expect(only(await feishu.receive(recall(), app.context))).toEqual({
      kind: "deletion",
      dedupeId: "recall:om_9",
      messageId: "om_9",
      sender: { id: "ou_ada" },
      conversation: { kind: "direct", id: "oc_1" },
    });
    await app.script({ path: "im/v1/chats", status: 400, body: { code: 99991672, msg: "Access denied." } });
    expect(await feishu.receive(recall(), app.context)).toMatchObject({ kind: "answered" });
  });

  test("a press of our button is what it says, and its answer tells whether it was taken up", async () => {
    const app = makeApp();
    const pressed = (value: unknown) =>
      feishu.receive(
        app.event(
          eventOf(app, "card.action.trigger", {
            operator: { open_id: "ou_ada" },
            token: "c-1",
            action: { tag: "button", value },
            context: { open_message_id: "om_card", open_chat_id: "oc_1" },
          }),
        ),
        app.context,
      );
    const result = await pressed({ says: "/approve a1 deny", kind: "direct" });
    expect(only(result)).toMatchObject({
      dedupeId: "ev-card.action.trigger",
      text: "/approve a1 deny",
      mentioned: true,
      conversation: { kind: "direct", id: "oc_1" },
    });
    if (result.kind !== "events") throw new Error(result.kind);
    expect(await result.answer?.([{ kind: "accepted" }]).json()).toMatchObject({ toast: { type: "success" } });
    const ignored = { kind: "ignored", reason: "groups are off" } as const;
    expect(await result.answer?.([ignored]).text()).toContain("groups are off");
    expect(await pressed({ page: 2 })).toMatchObject({ kind: "answered" });
  });

  test("reactions, joins and unknown ones are answered, and a broken one is refused by its field", async () => {
    const app = makeApp();
    for (const type of ["im.message.reaction.created_v1", "im.chat.member.bot.added_v1", "a.new_one"]) {
      expect(await feishu.receive(app.event(eventOf(app, type, {})), app.context)).toMatchObject({
        kind: "answered",
        reason: `an event of the type ${type}`,
      });
    }
    const result = await feishu.receive(app.event(received(app, { chat_id: 7 })), app.context);
    if (result.kind !== "refused") throw new Error(result.kind);
    expect(result.response.status).toBe(400);
    expect(await result.response.text()).toContain("chat_id");
  });
});
