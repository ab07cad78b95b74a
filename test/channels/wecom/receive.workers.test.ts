import { describe, expect, test } from "vitest";
import type { InboundEvent, ReceiveResult } from "../../../src/channels/channel.ts";
import { sealFrame } from "../../../src/channels/framed-cipher.ts";
import { wecom } from "../../../src/channels/wecom/wecom.ts";
import { AES_KEY, makeApplication, post, signedCall, type TestApplication, textOf } from "./test-application.ts";

const SEC = 1_800_000_000;

async function statusOf(at: TestApplication, request: Request | Promise<Request>): Promise<number> {
  const result = await wecom.receive(await request, at.context);
  return result.kind === "refused" ? result.response.status : 200;
}

function only(result: ReceiveResult): InboundEvent {
  const [event, ...others] = result.kind === "events" ? result.events : [];
  if (event === undefined || others.length > 0) throw new Error(`expected one event, got ${JSON.stringify(result)}`);
  return event;
}

async function hear(at: TestApplication, fields: Record<string, string | number>) {
  return wecom.receive(await at.message({ ...textOf(""), ...fields }), at.context);
}

describe("the verification of WeCom's message receiver", () => {
  test("is answered with the decrypted text and nothing else", async () => {
    const at = makeApplication();
    const result = await wecom.receive(await at.verification("8102938475612"), at.context);
    if (result.kind !== "answered") throw new Error(result.kind);
    expect(result.response?.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    expect(await result.response?.text()).toBe("8102938475612");
  });

  test("is refused with another token, for another company, when it is old, and without a text", async () => {
    const at = makeApplication();
    expect(await statusOf(at, at.verification("1", { token: "other" }))).toBe(401);
    expect(await statusOf(at, at.verification("1", { receiver: "wwother" }))).toBe(401);
    expect(await statusOf(at, at.verification("1", { timestamp: SEC - 4000 }))).toBe(401);
    expect(await statusOf(at, new Request("https://isopod.example/channels/wecom/default/webhook"))).toBe(401);
  });
});

describe("a call of WeCom's message receiver", () => {
  test("is refused if its message was changed, is for another company, or is old or from the future", async () => {
    const at = makeApplication();
    const [mine, other] = [await at.message(textOf("a")), await at.message(textOf("b"))];
    const swapped = new Request(mine.url, { method: "POST", body: await other.text() });
    expect(await statusOf(at, swapped)).toBe(401);
    expect(await statusOf(at, at.message(textOf("a"), { receiver: "wwother" }))).toBe(401);
    expect(await statusOf(at, at.message(textOf("a"), { timestamp: SEC - 4000 }))).toBe(401);
    expect(await statusOf(at, at.message(textOf("a"), { timestamp: SEC + 4000 }))).toBe(401);
    expect(await statusOf(at, at.message(textOf("a"), { timestamp: SEC - 600 }))).toBe(200);
  });

  test("that cannot be decrypted names the key to compare, and one without what WeCom sends its field", async () => {
    const at = makeApplication();
    const wrong = (await sealFrame(AES_KEY.replace("a", "z"), { message: "<xml/>", receiver: "x" })) ?? "";
    const url = await signedCall(wrong, { token: at.secrets.token, timestamp: SEC });
    for (const [request, words] of [
      [post(url, wrong), "EncodingAESKey"],
      [await at.sealed("no xml"), "XML"],
      [await at.sealed("<xml><MsgType>text</MsgType></xml>"), "FromUserName"],
    ] as const) {
      const result = await wecom.receive(request, at.context);
      if (result.kind !== "refused") throw new Error(result.kind);
      expect(result.response.status).toBe(400);
      expect(await result.response.text()).toContain(words);
    }
  });

  test("is answered with an empty body, since WeCom shows words as a reply", async () => {
    const at = makeApplication();
    const [taken, ignored] = [
      await hear(at, { Content: "hi" }),
      await hear(at, { MsgType: "event", Event: "subscribe" }),
    ];
    if (taken.kind !== "events" || ignored.kind !== "answered") throw new Error("expected both to be taken");
    expect(await taken.answer?.([{ kind: "accepted" }]).text()).toBe("");
    expect(await ignored.response?.text()).toBe("");
  });
});

describe("a message of WeCom", () => {
  test("is a direct one of a member, under WeCom's id", async () => {
    const at = makeApplication();
    expect(only(await hear(at, { Content: "你好 <b>" }))).toEqual({
      kind: "message",
      dedupeId: "6054768590064713728",
      messageId: "6054768590064713728",
      text: "你好 <b>",
      sender: { id: "ada" },
      conversation: { kind: "direct", id: "ada" },
      mentioned: true,
      attachments: [],
    });
  });

  test("of every other kind says what it is", async () => {
    const at = makeApplication();
    const kinds: [fields: Record<string, string | number>, expected: object][] = [
      [
        { MsgType: "image", MediaId: "m" },
        { text: "", attachments: [{ reference: { mediaId: "m" } }] },
      ],
      [
        { MsgType: "voice", MediaId: "m", Format: "amr" },
        { attachments: [{ name: "voice-6054768590064713728.amr", isVoice: true }] },
      ],
      [
        { MsgType: "voice", MediaId: "m", Format: "amr", Recognition: "开灯" },
        { text: "", attachments: [{ reference: { mediaId: "m" }, isVoice: true, words: "开灯" }] },
      ],
      [{ MsgType: "video", MediaId: "m" }, { attachments: [{ mediaType: "video/mp4" }] }],
      [{ MsgType: "file", MediaId: "m", FileName: "报告.pdf" }, { attachments: [{ name: "报告.pdf" }] }],
      [
        { MsgType: "location", Location_X: "23.1", Location_Y: "113.3", Label: "位置" },
        { text: "[location: 23.1, 113.3, 位置]" },
      ],
      [
        { MsgType: "link", Title: "T", Description: "D", Url: "https://a.example" },
        { text: "[link: T, https://a.example]", quoted: { text: "D" } },
      ],
    ];
    for (const [fields, expected] of kinds) expect(only(await hear(at, fields))).toMatchObject(expected);
  });

  test("for another application, of everyone, an event, or of an unknown kind, is passed over", async () => {
    const at = makeApplication();
    const passedOver: Record<string, string | number>[] = [
      { Content: "hi", AgentID: 99 },
      { Content: "hi", FromUserName: "@all" },
      { MsgType: "event", Event: "enter_agent" },
      { MsgType: "event", Event: "click", EventKey: "menu" },
      { MsgType: "event", Event: "template_card_event", TaskId: "of another program", EventKey: "/approve a1 deny" },
      { MsgType: "hologram" },
      { MsgType: "text", Content: "" },
    ];
    for (const fields of passedOver) expect(await hear(at, fields)).toMatchObject({ kind: "answered" });
  });

  test("is a button's when one of our cards was pressed, and each press counts once", async () => {
    const at = makeApplication();
    const press = {
      MsgType: "event",
      Event: "template_card_event",
      TaskId: "isopod-dlv_1",
      EventKey: "/approve a1 deny",
    };
    const [first, again] = [only(await hear(at, press)), only(await hear(at, press))];
    expect(first).toMatchObject({ text: "/approve a1 deny", sender: { id: "ada" }, mentioned: true });
    expect(first.kind === "message" && first.dedupeId).toBe(again.kind === "message" && again.dedupeId);
    const later = only(await hear(at, { ...press, CreateTime: 1_800_000_009 }));
    expect(later.kind === "message" && later.dedupeId).not.toBe(first.kind === "message" && first.dedupeId);
  });
});
