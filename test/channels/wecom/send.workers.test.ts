import { describe, expect, test } from "vitest";
import type { Delivery, OutboundPart, Target } from "../../../src/channels/channel.ts";
import { wecom } from "../../../src/channels/wecom/wecom.ts";
import { makeApplication, type TestApplication } from "./test-application.ts";

function send(at: TestApplication, more: Partial<OutboundPart> = {}, target: Partial<Target> = {}): Promise<Delivery> {
  const part = { target: { ...at.target, ...target }, text: "**hello**", deliveryId: "dlv_1", ...more };
  return wecom.send(part, at.context, AbortSignal.timeout(2_000));
}

function refusal(errcode: number, errmsg: string, path = "message/send") {
  return { path, body: { errcode, errmsg } };
}

describe("a request to WeCom", () => {
  test("carries the application's token, which is asked for once, and its number", async () => {
    const at = makeApplication();
    expect(await send(at)).toEqual({ outcome: "delivered", externalId: "msg_1" });
    await send(at);
    expect(await at.calls("gettoken")).toHaveLength(1);
    const [first] = await at.calls("message/send");
    expect(first?.fields).toEqual({
      touser: "ada",
      agentid: 1000002,
      msgtype: "markdown",
      markdown: { content: "**hello**" },
    });
  });

  test("is repeated once with a new token where its token has run out, and then fails with the settings to check", async () => {
    const at = makeApplication();
    await at.script(refusal(42001, "access_token expired"));
    expect(await send(at)).toMatchObject({ outcome: "delivered" });
    expect(await at.calls("gettoken")).toHaveLength(2);
    await at.script(refusal(40014, "invalid access_token"), refusal(40014, "invalid access_token"));
    expect(await send(at)).toMatchObject({ outcome: "failed", reason: expect.stringMatching(/WECOM_SECRET/) });
  });

  test("is surely not sent while no token can be had", async () => {
    const at = makeApplication();
    await at.script({ path: "gettoken", cut: "after" }, refusal(-1, "system busy", "gettoken"));
    expect(await send(at)).toMatchObject({ outcome: "retry" });
    expect(await send(at)).toMatchObject({ outcome: "retry" });
  });

  test("never shows the secret or the token, which stand in its address", async () => {
    const at = makeApplication();
    at.context.fetch = (input) => Promise.reject(new Error(`cannot reach ${input}`));
    const shown = JSON.stringify(await send(at));
    expect(shown).not.toContain(at.secrets.secret);
    const other = makeApplication();
    await send(other);
    other.context.fetch = at.context.fetch;
    expect(JSON.stringify(await send(other))).not.toMatch(/token-ww/);
  });

  test("never goes to everyone or to several members", async () => {
    const at = makeApplication();
    for (const conversationId of ["@all", "ada|bob", ""]) {
      expect(await send(at, {}, { conversationId })).toMatchObject({ outcome: "failed" });
      expect(wecom.conversationOf?.(conversationId)).toBeUndefined();
    }
    expect(await at.calls()).toEqual([]);
  });

  test("asks WeCom to drop doubles only where the account prefers doubles to losses", async () => {
    const at = makeApplication({ deliveries: { atLeastOnce: true } });
    expect(await send(at)).toEqual({ outcome: "delivered", externalId: "msg_1" });
    expect(await send(at)).toEqual({ outcome: "delivered", externalId: "msg_1" });
    expect((await at.calls("message/send"))[0]?.fields).toMatchObject({ enable_duplicate_check: 1 });
  });
});

describe("a WeCom message", () => {
  test("is plain text where the account says so", async () => {
    const at = makeApplication({ messageType: "text" });
    await send(at, { text: "**a** [b](https://c.example)\n```ts\ncode\n```" });
    expect((await at.calls("message/send"))[0]?.fields).toMatchObject({
      msgtype: "text",
      text: { content: "a b (https://c.example)\ncode" },
    });
  });

  test("of Chinese text has at most 2,048 bytes", async () => {
    const at = makeApplication();
    const parts = wecom.format("这是一句很长的话。".repeat(300));
    expect(parts.length).toBeGreaterThan(3);
    for (const text of parts) expect(await send(at, { text })).toMatchObject({ outcome: "delivered" });
  });

  test("with a short question is a card whose buttons bring back what they say", async () => {
    const at = makeApplication();
    const buttons = [[{ label: "Deny", says: "/approve a1 deny" }]];
    await send(at, { text: "**May I?**", buttons });
    expect((await at.calls("message/send"))[0]?.fields).toMatchObject({
      msgtype: "template_card",
      template_card: {
        task_id: "isopod-dlv_1",
        sub_title_text: "May I?",
        button_list: [{ text: "Deny", key: "/approve a1 deny" }],
      },
    });
  });

  test("with a question that a card would cut says what to type", async () => {
    const at = makeApplication();
    const buttons = [[{ label: "Deny", says: "/approve a1 deny" }]];
    await send(at, { text: `May I?\n${"x".repeat(200)}`, buttons });
    const [{ fields } = { fields: {} }] = await at.calls("message/send");
    expect(fields).toMatchObject({ msgtype: "markdown" });
    expect(JSON.stringify(fields)).toContain("Deny: /approve a1 deny");
  });
});

describe("a refusal by WeCom", () => {
  test("says what to do", async () => {
    const reasons: [code: number, message: string, reason: RegExp][] = [
      [
        60020,
        "not allow to access from your ip, hint: [1], from ip: 203.0.113.7",
        /from 203\.0\.113\.7.*proxy.*apiBase/,
      ],
      [81013, "user & party & tag all invalid", /visible range/],
      [40056, "invalid agentid", /WECOM_AGENT_ID/],
      [60111, "userid not found", /check the id/],
      [99999, "something else, hint: [17000], from ip: 1.2.3.4", /something else, from ip: 1\.2\.3\.4 \(99999\)/],
    ];
    for (const [code, message, reason] of reasons) {
      const at = makeApplication();
      await at.script(refusal(code, message));
      expect(await send(at)).toEqual({ outcome: "failed", reason: expect.stringMatching(reason) });
    }
  });

  test("of the one receiver is a failure although WeCom says ok", async () => {
    const at = makeApplication();
    await at.script({ path: "message/send", body: { errcode: 0, errmsg: "ok", invaliduser: "ada", msgid: "1" } });
    expect(await send(at)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("visible range") });
  });

  test("for its rate, or because WeCom is busy, is retried", async () => {
    const at = makeApplication();
    await at.script(refusal(45009, "api freq out of limit"), refusal(-1, "system busy"));
    expect(await send(at)).toMatchObject({ outcome: "retry", afterMs: 60_000 });
    expect(await send(at)).toMatchObject({ outcome: "retry", afterMs: 10_000 });
  });

  test("that cannot be read leaves it unsure", async () => {
    const at = makeApplication();
    await at.script({ path: "message/send", body: "<html>" });
    expect(await send(at)).toMatchObject({ outcome: "unsure" });
  });
});

describe("a file for WeCom", () => {
  test("is uploaded and sent as what shows it best", async () => {
    const kinds: [mediaType: string, asVoice: boolean, type: string][] = [
      ["image/png", false, "image"],
      ["audio/amr", true, "voice"],
      ["audio/ogg", true, "file"],
      ["video/mp4", false, "video"],
      ["application/pdf", false, "file"],
    ];
    for (const [mediaType, asVoice, type] of kinds) {
      const at = makeApplication();
      const file = {
        target: at.target,
        deliveryId: "dlv_3",
        name: "a.x",
        bytes: new Uint8Array(9),
        asVoice,
        mediaType,
      };
      const delivery = await wecom.sendFile?.(file, at.context, AbortSignal.timeout(2_000));
      expect(delivery).toMatchObject({ outcome: "delivered" });
      expect((await at.calls("media/upload"))[0]?.path).toContain(`type=${type}`);
      expect((await at.calls("message/send"))[0]?.fields).toMatchObject({
        msgtype: type,
        [type]: { media_id: "media_a.x" },
      });
    }
  });
});

describe("a look at a WeCom account", () => {
  const look = async (at: TestApplication) =>
    (await wecom.check?.(at.context, "https://isopod.test/x", AbortSignal.timeout(2_000))) ?? [];

  test("names the application, and what is wrong with its receiver", async () => {
    expect(await look(makeApplication())).toEqual([{ status: "ok", message: "the application is Isopod." }]);
    const [, missing] = await look(makeApplication({}, { WECOM_TOKEN: undefined }));
    expect(missing).toMatchObject({ status: "fail", message: expect.stringContaining("WECOM_TOKEN") });
    const [, malformed] = await look(makeApplication({}, { WECOM_ENCODING_AES_KEY: "too short" }));
    expect(malformed).toMatchObject({ status: "fail", fix: expect.stringContaining("43") });
    expect(await look(makeApplication({}, { WECOM_AGENT_ID: "isopod" }))).toMatchObject([
      { status: "fail", fix: expect.stringContaining("it is a number") },
    ]);
  });

  test("says from which address WeCom takes no request", async () => {
    const at = makeApplication();
    await at.script(refusal(60020, "not allow to access from your ip, from ip: 203.0.113.7", "agent/get"));
    expect(await look(at)).toMatchObject([{ status: "fail", message: expect.stringContaining("203.0.113.7") }]);
  });
});
