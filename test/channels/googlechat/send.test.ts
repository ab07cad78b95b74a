import { describe, expect, test } from "vitest";
import type { Delivery, OutboundPart, Target } from "../../../src/channels/channel.ts";
import { googlechat } from "../../../src/channels/googlechat/googlechat.ts";
import { publicJwk } from "../signing-key.ts";
import { ENDPOINT, makeChatApp, serviceAccount, type TestApp } from "./test-app.ts";

function send(app: TestApp, target: Partial<Target> = {}, more: Partial<OutboundPart> = {}): Promise<Delivery> {
  const part = { target: { ...app.target, ...target }, text: "hello", deliveryId: "dlv_1", ...more };
  return googlechat.send(part, app.context, AbortSignal.timeout(5_000));
}

describe("a message", () => {
  test("has the delivery's id, by which Google knows it again", async () => {
    const app = await makeChatApp();
    const [first, second] = [await send(app), await send(app)];
    expect(first).toEqual({ outcome: "delivered", externalId: "spaces/ROOM/messages/M0" });
    expect(second).toEqual(first);
    expect((await app.created())[0]).toMatchObject({
      ...{ path: "/v1/spaces/ROOM/messages", query: { requestId: "dlv_1" }, message: { text: "hello" } },
    });
  });

  test("in a thread begins another one if that is gone", async () => {
    const app = await makeChatApp();
    await send(app, { threadId: "spaces/ROOM/threads/T2" });
    expect((await app.created())[0]).toMatchObject({
      query: { messageReplyOption: "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD" },
      message: { thread: { name: "spaces/ROOM/threads/T2" } },
    });
  });

  test("to a person goes to their chat with the app, which has to exist", async () => {
    const app = await makeChatApp();
    expect(await send(app, { kind: "direct", conversationId: "users/77" })).toMatchObject({ outcome: "delivered" });
    expect((await app.created())[0]?.path).toBe("/v1/spaces/DM-77/messages");
    const reason = expect.stringContaining("add the app to it");
    expect(await send(app, { conversationId: "users/stranger" })).toMatchObject({ outcome: "failed", reason });
  });

  test("with buttons has a card, whose buttons say their texts", async () => {
    const buttons = [[{ label: "Deny", says: "/approve x deny" }]];
    const actionOf = async (app: TestApp) => {
      await send(app, {}, { buttons });
      const [widget] = (await app.created())[0]?.message.cardsV2[0].card.sections[0].widgets ?? [];
      expect(widget.buttonList.buttons[0].text).toBe("Deny");
      return widget.buttonList.buttons[0].onClick.action;
    };
    const parameters = [{ key: "says", value: "/approve x deny" }];
    expect(await actionOf(await makeChatApp())).toEqual({ function: "says", parameters });
    // An add-on is called at the address of its button.
    expect(await actionOf(await makeChatApp({}, { ADD_ON: "service-1@x" }))).toEqual({
      function: ENDPOINT,
      parameters,
    });
  });

  test("that may not have arrived is sent again", () => {
    expect(googlechat.atLeastOnce?.(googlechat.account.parse({}))).toBe(true);
  });
});

describe("the login", () => {
  test("is made once, and anew where Google does not take the token any more", async () => {
    const app = await makeChatApp();
    for (let n = 0; n < 2; n++) await send(app);
    expect(await app.place.calls("token")).toHaveLength(1);
    await app.place.script({ path: "/messages", status: 401, body: { error: { status: "UNAUTHENTICATED" } } });
    expect(await send(app)).toMatchObject({ outcome: "delivered" });
    expect(await app.place.calls("token")).toHaveLength(2);
  });

  test("with a key that Google does not know says so, and creates nothing", async () => {
    const app = await makeChatApp();
    await app.place.remember({ serviceAccount: await publicJwk() });
    const reason = expect.stringMatching(/make a new key for KEY.*Invalid JWT Signature/);
    expect(await send(app)).toMatchObject({ outcome: "failed", reason });
    expect(await app.created()).toEqual([]);
  });

  test("with what is no key says what to set", async () => {
    for (const [value, words] of [
      ["", "Set KEY to the JSON key"],
      ["{}", "copy the whole file"],
      ["-----BEGIN", "copy the whole file"],
      [JSON.stringify({ client_email: "a@b", private_key: "none" }), "private key cannot be read"],
    ] as const) {
      const app = await makeChatApp({}, { KEY: value });
      expect(await send(app), value).toMatchObject({ outcome: "failed", reason: expect.stringContaining(words) });
    }
  });

  test("that fails for now is no lost message", async () => {
    for (const failure of [{ status: 503 }, { status: 500 }, { status: 429 }, { cut: "after" } as const]) {
      const app = await makeChatApp();
      await app.place.script({ path: "token", ...failure });
      expect(await send(app), JSON.stringify(failure)).toMatchObject({ outcome: "retry" });
    }
  });
});

test("a refusal is said in words", async () => {
  for (const [status, words] of [
    [403, "removed from the space"],
    [404, "add the app to it"],
    [400, "Google Chat refused the message"],
  ] as const) {
    const app = await makeChatApp();
    await app.place.script({ path: "/messages", status, body: { error: { message: "No." } } });
    expect(await send(app), words).toMatchObject({ outcome: "failed", reason: expect.stringContaining(words) });
  }
});

test("the longest part is within what Google takes", async () => {
  const app = await makeChatApp();
  const [text = ""] = googlechat.format("很长。".repeat(30_000));
  expect(await send(app, {}, { text })).toMatchObject({ outcome: "delivered" });
});

describe("the check", () => {
  const check = async (app: TestApp) =>
    (await googlechat.check?.(app.context, ENDPOINT, AbortSignal.timeout(5_000)))?.map(({ status }) => status);

  test("passes for an app that can write and is called here", async () => {
    expect(await check(await makeChatApp())).toEqual(["ok", "ok"]);
    expect(await check(await makeChatApp({}, { AUDIENCE: "123456789012" }))).toEqual(["ok", "ok"]);
  });

  test("finds another address, a wrong key and an API that is not enabled", async () => {
    expect(await check(await makeChatApp({}, { AUDIENCE: "https://old.test/" }))).toEqual(["warn", "ok"]);
    const { json } = await serviceAccount();
    const other = JSON.stringify({ ...JSON.parse(json), private_key: "x" });
    expect(await check(await makeChatApp({}, { KEY: other }))).toEqual(["ok", "fail"]);
    const app = await makeChatApp();
    await app.place.script({ path: "spaces?", status: 403, body: { error: { message: "API is disabled." } } });
    expect(await check(app)).toEqual(["ok", "fail"]);
  });
});
