import { describe, expect, test } from "vitest";
import type { Delivery, OutboundPart, Target } from "../../../src/channels/channel.ts";
import { feishu } from "../../../src/channels/feishu/feishu.ts";
import { opusFile } from "../../fakes/media-bytes.ts";
import { cardText, makeApp, type TestApp } from "./test-app.ts";

function send(app: TestApp, target: Partial<Target> = {}, more: Partial<OutboundPart> = {}): Promise<Delivery> {
  const part = { target: { ...app.target, ...target }, text: "hello", deliveryId: "dlv_1", ...more };
  return feishu.send(part, app.context, AbortSignal.timeout(2_000));
}

function refusal(code: number, msg: string, path = "messages") {
  return { path, status: 400, body: { code, msg } };
}

const TOKEN_PATH = "tenant_access_token";

describe("a request to Feishu", () => {
  test("carries the app's token, which is asked for once", async () => {
    const app = makeApp();
    expect(await send(app)).toEqual({ outcome: "delivered", externalId: "om_1" });
    await send(app, {}, { deliveryId: "dlv_2" });
    expect(await app.calls(TOKEN_PATH)).toHaveLength(1);
    const [first] = await app.calls("im/v1/messages");
    expect(first).toMatchObject({
      path: "open-apis/im/v1/messages?receive_id_type=chat_id",
      fields: { receive_id: "oc_1", msg_type: "interactive", uuid: "dlv_1" },
    });
    expect(first?.headers.authorization).toBe("Bearer t-cli_1");
  });

  test("is repeated once with a new token where its token has run out, and then fails with the settings to check", async () => {
    const app = makeApp();
    const expired = refusal(99991663, "Invalid access token for authorization.");
    await app.script(expired);
    expect(await send(app)).toMatchObject({ outcome: "delivered" });
    expect(await app.calls(TOKEN_PATH)).toHaveLength(2);
    await app.script(expired, expired);
    const failed = { outcome: "failed", reason: expect.stringMatching(/FEISHU_APP_SECRET.*domain/) };
    expect(await send(app)).toMatchObject(failed);
  });

  test("is surely not sent while no token can be had", async () => {
    const app = makeApp();
    await app.script({ path: TOKEN_PATH, cut: "after" }, { path: TOKEN_PATH, status: 502, body: "bad gateway" });
    expect(await send(app)).toMatchObject({ outcome: "retry" });
    expect(await send(app)).toMatchObject({ outcome: "retry" });
    await app.script({ path: TOKEN_PATH, body: { code: 10014, msg: "app secret invalid" } });
    expect(await send(app)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("FEISHU_APP_SECRET") });
  });

  test("writes to a person by the open id", async () => {
    const app = makeApp();
    await send(app, { kind: "direct", conversationId: "ou_ada" });
    expect((await app.calls("im/v1/messages"))[0]?.path).toContain("receive_id_type=open_id");
  });
});

describe("a Feishu message", () => {
  test("in a topic is a reply in it", async () => {
    const app = makeApp();
    await send(app, { threadId: "omt_1", via: "om_root" });
    const [call] = await app.calls("im/v1/messages");
    expect(call).toMatchObject({ path: "open-apis/im/v1/messages/om_root/reply", fields: { reply_in_thread: true } });
    expect(await send(app, { threadId: "omt_1" })).toMatchObject({ outcome: "failed" });
  });

  test("that answers a message which is gone is sent alone", async () => {
    const app = makeApp();
    await app.script(refusal(230011, "The message was withdrawn."));
    expect(await send(app, { replyToId: "om_gone" })).toMatchObject({ outcome: "delivered" });
    const paths = (await app.calls("im/v1/messages")).map(({ path }) => path.replace("open-apis/im/v1/", ""));
    expect(paths).toEqual(["messages/om_gone/reply", "messages?receive_id_type=chat_id"]);
  });

  test("that Feishu cannot show as a card is sent as plain text in the same delivery", async () => {
    const app = makeApp();
    const table = "| a |\n| --- |\n| 1 |\n";
    expect(await send(app, {}, { text: `&#60;b&#62;\n${table.repeat(6)}` })).toMatchObject({ outcome: "delivered" });
    const [, second] = await app.calls("im/v1/messages");
    expect(cardText(second?.fields ?? {})).toContain("<b>");
    expect(JSON.parse(String(second?.fields.content)).body.elements[0].tag).toBe("div");
  });

  test("has buttons that bring back what they say", async () => {
    const app = makeApp();
    const buttons = [[{ label: "Deny", says: "/approve a1 deny" }]];
    await send(app, { threadId: "omt_1", via: "om_root" }, { buttons });
    const { elements } = JSON.parse(String((await app.calls("im/v1/messages"))[0]?.fields.content)).body;
    const [{ elements: keys }] = elements[1].columns;
    expect(keys[0]).toMatchObject({
      text: { content: "Deny" },
      behaviors: [{ type: "callback", value: { says: "/approve a1 deny", kind: "group", threadId: "omt_1" } }],
    });
  });

  test("of Chinese text in code and quotes is within 30 KB as it is sent", async () => {
    const app = makeApp();
    const reply = `${'"引号"与\\反斜杠。'.repeat(4000)}`;
    const parts = feishu.format(reply);
    expect(parts.length).toBeGreaterThan(1);
    for (const text of parts) expect(await send(app, {}, { text })).toMatchObject({ outcome: "delivered" });
  });
});

describe("a refusal by Feishu", () => {
  test("says what to do", async () => {
    const reasons: [code: number, msg: string, reason: RegExp][] = [
      [230002, "The bot can not be outside the group.", /add it in the group's settings.*\(230002\)/],
      [230013, "Bot has NO availability to this user.", /widen its availability/],
      [230053, "The user has stopped the bot.", /switched off messages/],
      [
        99991672,
        "Access denied. One of the following scopes is required: [im:message, im:message:send_as_bot].",
        /lacks one of the permissions im:message, im:message:send_as_bot: add it/,
      ],
      [230099, "Failed to create card content", /Failed to create card content \(230099\)/],
    ];
    for (const [code, msg, reason] of reasons) {
      const app = makeApp();
      await app.script(refusal(code, msg), refusal(code, msg));
      expect(await send(app)).toEqual({ outcome: "failed", reason: expect.stringMatching(reason) });
    }
  });

  test("for its rate is retried after the time that Feishu names, also where it comes with 200", async () => {
    const app = makeApp();
    const busy = { code: 230020, msg: "This operation triggers the frequency limit." };
    await app.script({ path: "messages", body: busy });
    expect(await send(app)).toMatchObject({ outcome: "retry", afterMs: 10_000 });
    await app.script({ path: "messages", status: 429, headers: { "x-ogw-ratelimit-reset": "52" }, body: busy });
    expect(await send(app)).toMatchObject({ outcome: "retry", afterMs: 52_000 });
  });

  test("never shows the secret or the token, even if the answer repeats them", async () => {
    const app = makeApp();
    await app.script(refusal(230001, "bad token t-cli_1"));
    expect(JSON.stringify(await send(app))).not.toContain("t-cli_1");
    await app.script({ path: TOKEN_PATH, body: { code: 10014, msg: `wrong ${app.secrets.appSecret}` } });
    const other = { ...app, context: { ...app.context, now: () => 1_900_000_000_000 } };
    expect(JSON.stringify(await send(other))).not.toContain(app.secrets.appSecret);
  });
});

describe("a file for Feishu", () => {
  const sendFile = (app: TestApp, file: { mediaType: string; asVoice?: boolean; bytes?: Uint8Array<ArrayBuffer> }) =>
    feishu.sendFile?.(
      { target: app.target, deliveryId: "dlv_3", name: "a.x", bytes: new Uint8Array([1, 2]), asVoice: false, ...file },
      app.context,
      AbortSignal.timeout(2_000),
    );

  test("is uploaded and sent as what shows it best", async () => {
    const kinds: [file: { mediaType: string; asVoice?: boolean }, upload: string, fields: object, message: object][] = [
      [{ mediaType: "image/png" }, "images", { image_type: "message" }, { msg_type: "image" }],
      [{ mediaType: "audio/ogg", asVoice: true }, "files", { file_type: "opus" }, { msg_type: "audio" }],
      [{ mediaType: "video/mp4" }, "files", { file_type: "mp4" }, { msg_type: "media" }],
      [{ mediaType: "text/plain" }, "files", { file_type: "stream", file_name: "a.x" }, { msg_type: "file" }],
    ];
    for (const [file, upload, fields, message] of kinds) {
      const app = makeApp();
      expect(await sendFile(app, file)).toMatchObject({ outcome: "delivered" });
      expect((await app.calls(upload))[0]?.fields).toMatchObject(fields);
      const key = upload === "images" ? "image_key" : "file_key";
      const [sent] = await app.calls("im/v1/messages");
      expect(sent?.fields).toMatchObject({ ...message, content: JSON.stringify({ [key]: "key_2" }), uuid: "dlv_3" });
    }
  });

  test("that is a voice note shows its length", async () => {
    const app = makeApp();
    await sendFile(app, { mediaType: "audio/ogg", asVoice: true, bytes: opusFile(2.5) });
    expect((await app.calls("files"))[0]?.fields).toMatchObject({ file_type: "opus", duration: "2500" });
  });

  test("whose upload is lost is surely not sent", async () => {
    const app = makeApp();
    await app.script({ path: "im/v1/files", cut: "after" });
    expect(await sendFile(app, { mediaType: "text/plain" })).toMatchObject({ outcome: "retry" });
    expect(await app.calls("im/v1/messages")).toEqual([]);
  });
});

describe("a reaction in Feishu", () => {
  const react = (app: TestApp, emoji: string) =>
    feishu.reactions?.react({ target: app.target, messageId: "om_5", emoji }, app.context, AbortSignal.timeout(2_000));

  test("goes by Feishu's own name, without skin and variation", async () => {
    const app = makeApp();
    await react(app, "👍🏽");
    await react(app, "❤️");
    const names = (await app.calls("reactions")).map(({ fields }) => fields.reaction_type);
    expect(names).toEqual([{ emoji_type: "THUMBSUP" }, { emoji_type: "HEART" }]);
    expect(await react(app, "🦖")).toEqual({ outcome: "failed", reason: "Feishu has no reaction 🦖." });
  });

  test("is taken off where it is the app's own", async () => {
    const app = makeApp();
    expect(await react(app, "")).toMatchObject({ outcome: "delivered" });
    const calls = (await app.calls("reactions")).map(({ method, path }) => `${method} ${path}`);
    expect(calls).toEqual([
      "GET open-apis/im/v1/messages/om_5/reactions",
      "DELETE open-apis/im/v1/messages/om_5/reactions/re_cli_1",
    ]);
  });
});

describe("a look at a Feishu account", () => {
  const look = async (app: TestApp) =>
    (await feishu.check?.(app.context, "https://isopod.test/x", AbortSignal.timeout(2_000))) ?? [];

  test("names the bot, and warns where events are not signed", async () => {
    expect(await look(makeApp())).toEqual([{ status: "ok", message: "the bot is Isopod." }]);
    const [, unsigned] = await look(makeApp({}, { FEISHU_ENCRYPT_KEY: undefined }));
    expect(unsigned).toMatchObject({ status: "warn", fix: expect.stringContaining("FEISHU_ENCRYPT_KEY") });
  });

  test("says when the app is not active, not known, or busy", async () => {
    const app = makeApp();
    const bot = { activate_status: 4, app_name: "Isopod", open_id: "ou_bot" };
    await app.script({ path: "bot/v3/info", body: { code: 0, msg: "ok", bot } });
    expect(await look(app)).toMatchObject([{ status: "fail", message: "the bot Isopod is not active." }]);
    const unknown = makeApp();
    await unknown.script({ path: TOKEN_PATH, body: { code: 10003, msg: "invalid param" } });
    expect(await look(unknown)).toMatchObject([{ status: "fail", message: expect.stringContaining("FEISHU_APP_ID") }]);
  });

  test("the permissions to paste are those of the open platform", () => {
    const { text } = feishu.manifest!(makeApp().context, "https://isopod.test/x");
    expect(JSON.parse(text).scopes.tenant).toContain("im:message:send_as_bot");
  });
});
