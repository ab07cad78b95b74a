import { describe, expect, test } from "vitest";
import type { Delivery, OutboundPart } from "../../../src/channels/channel.ts";
import { line } from "../../../src/channels/line/line.ts";
import { LINE_TOKEN, lineError } from "../../fakes/platforms/line.ts";
import { ADA, GROUP, makeAccount, type TestAccount } from "./test-account.ts";

let lastToken = 0;

/** A reply token that no other test has. */
function newToken(): string {
  return `token-${++lastToken}`;
}

function send({ context, target }: TestAccount, part: Partial<OutboundPart> = {}): Promise<Delivery> {
  return line.send({ target, text: "hello", deliveryId: "dlv_1", ...part }, context, AbortSignal.timeout(2_000));
}

/** What was called, without the query: `reply`, `push`, and so on, with the first message. */
async function calls({ place }: TestAccount) {
  return (await place.calls()).map(({ path, fields, headers }) => ({
    way: path.split("/").at(-1),
    to: fields.to,
    message: (fields.messages as Record<string, any>[] | undefined)?.[0],
    key: headers["x-line-retry-key"],
  }));
}

describe("an answer in LINE", () => {
  test("uses its reply token once, and is pushed after that", async () => {
    const account = makeAccount();
    const token = newToken();
    expect(await send(account, { token })).toMatchObject({
      outcome: "delivered",
      externalId: expect.stringMatching(/^\d+$/),
    });
    expect(await send(account, { token, text: "more", deliveryId: "dlv_2" })).toMatchObject({ outcome: "delivered" });
    expect(await calls(account)).toEqual([
      { way: "reply", to: undefined, message: { type: "text", text: "hello" }, key: undefined },
      { way: "push", to: ADA, message: { type: "text", text: "more" }, key: expect.stringMatching(/^[\da-f-]{36}$/) },
    ]);
  });

  test("whose token LINE does not take any more is pushed at once", async () => {
    const account = makeAccount();
    expect(await send(account, { token: `old-${newToken()}` })).toMatchObject({ outcome: "delivered" });
    expect((await calls(account)).map(({ way }) => way)).toEqual(["reply", "push"]);
  });

  test("that is refused for now keeps its token, and one whose answer is lost is unsure", async () => {
    const account = makeAccount();
    const token = newToken();
    await account.place.script(lineError(429, "The API rate limit has been exceeded. Try again later."));
    expect(await send(account, { token })).toMatchObject({ outcome: "retry" });
    await account.place.script({ cut: "after" });
    expect(await send(account, { token })).toMatchObject({ outcome: "unsure" });
    expect((await calls(account)).map(({ way }) => way)).toEqual(["reply", "reply"]);
  });

  test("quotes the message that it replies to, and no other", async () => {
    const account = makeAccount();
    const target = { ...account.target, via: "3257 q1" };
    await send(account, { target });
    await send(account, { target: { ...target, replyToId: "3257" }, deliveryId: "dlv_2" });
    await send(account, { target: { ...target, replyToId: "1" }, deliveryId: "dlv_3" });
    expect((await calls(account)).map(({ message }) => message?.quoteToken)).toEqual([undefined, "q1", undefined]);
  });
});

describe("a push in LINE", () => {
  test("whose answer is lost is tried again under the same key, and is carried out once", async () => {
    const account = makeAccount();
    await account.place.script({ cut: "after" }, { status: 500, body: {} });
    expect(await send(account)).toMatchObject({ outcome: "retry" });
    expect(await send(account)).toMatchObject({ outcome: "retry" });
    const again = await send(account);
    expect(again).toEqual({ outcome: "delivered", externalId: "461230966842064897" });
    const keys = (await calls(account)).map(({ key }) => key);
    expect(new Set(keys).size).toBe(1);
    await send(account, { deliveryId: "dlv_2" });
    expect((await calls(account)).at(-1)?.key).not.toBe(keys[0]);
  });

  test("beyond the month's limit fails with words, and is not tried again", async () => {
    const account = makeAccount();
    await account.place.script(lineError(429, "You have reached your monthly limit."));
    expect(await send(account)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("raise the plan") });
  });

  test("that is refused says what it means, and never the token", async () => {
    const reasons: [status: number, message: string, details: string[], reason: RegExp][] = [
      [400, "The property, 'to', in the request body is invalid", [], /no longer in it/],
      [401, "Authentication failed", [], /LINE_CHANNEL_ACCESS_TOKEN/],
      [403, "Access to this API is not available for your account", [], /plan of the LINE account/],
      [400, "The request body has 1 error(s)", ["May not be empty"], /May not be empty/],
    ];
    for (const [status, message, details, reason] of reasons) {
      const account = makeAccount();
      await account.place.script(lineError(status, message, details));
      expect(await send(account)).toMatchObject({ outcome: "failed", reason: expect.stringMatching(reason) });
    }
    const account = makeAccount();
    await account.place.script(lineError(400, `${LINE_TOKEN} is wrong`, [`see ${LINE_TOKEN}`]));
    expect(JSON.stringify(await send(account))).not.toContain(LINE_TOKEN);
  });
});

test("buttons in LINE show their label and give back what they say", async () => {
  const account = makeAccount();
  const buttons = [
    [
      { label: "a label that is much too long", says: "/approve ab12 allow-once" },
      { label: "Long", says: "x".repeat(301) },
    ],
  ];
  expect(await send(account, { buttons })).toMatchObject({ outcome: "delivered" });
  expect((await calls(account))[0]?.message?.quickReply.items).toEqual([
    {
      type: "action",
      action: {
        type: "postback",
        label: "a label that is much",
        displayText: "a label that is much too long",
        data: "/approve ab12 allow-once",
      },
    },
  ]);
});

test("the loading animation is shown in direct conversations only", async () => {
  const account = makeAccount();
  await line.typing?.({ target: account.target }, account.context);
  await line.typing?.({ target: { ...account.target, kind: "group", conversationId: GROUP } }, account.context);
  const fields = (await account.place.calls("loading")).map((call) => call.fields);
  expect(fields).toEqual([{ chatId: ADA, loadingSeconds: 20 }]);
});

describe("a file of a LINE message", () => {
  const open = (account: TestAccount, reference: Record<string, string>) =>
    line.openAttachment?.({ messageId: "815", ...reference }, account.context, AbortSignal.timeout(5_000));

  test("that is a film is had once LINE has prepared it", async () => {
    const account = makeAccount();
    expect(await new Response(await open(account, { type: "video" })).text()).toBe("contents of 815");
    expect((await account.place.calls("transcoding")).length).toBe(2);
    await account.place.script({ body: { status: "failed" } });
    await expect(open(account, { type: "video" })).rejects.toMatchObject({
      message: expect.stringContaining("converted"),
    });
  });

  test("that its sender keeps elsewhere is named and not fetched", async () => {
    const account = makeAccount();
    const elsewhere = "https://127.0.0.1/film.mp4";
    await expect(open(account, { type: "video", elsewhere })).rejects.toMatchObject({
      message: expect.stringContaining(elsewhere),
    });
    expect(await account.place.calls()).toEqual([]);
  });
});

describe("setting LINE up", () => {
  const webhookUrl = "https://isopod.test/channels/line/default/webhook";
  const signal = AbortSignal.timeout(5_000);
  const check = ({ context }: TestAccount) => line.check?.(context, webhookUrl, signal);
  const connect = ({ context }: TestAccount, takeOver = false) =>
    line.connect?.(context, { webhookUrl, takeOver }, signal);

  test("connecting sets the webhook and tests it, and the check then passes", async () => {
    const account = makeAccount();
    expect(await check(account)).toMatchObject([
      { status: "ok", message: expect.stringContaining("Isopod (@isopod)") },
      { status: "fail", message: expect.stringContaining("no webhook is set") },
    ]);
    expect(await connect(account)).toMatchObject([{ status: "ok", message: expect.stringContaining(webhookUrl) }]);
    expect(await check(account)).toMatchObject([
      { status: "ok" },
      { status: "ok", message: "LINE calls this Worker." },
    ]);
  });

  test("connecting replaces another address only when it is told to, and tells of a test that fails", async () => {
    const account = makeAccount();
    await line.connect?.(account.context, { webhookUrl: "https://other.example/line", takeOver: true }, signal);
    expect(await connect(account)).toMatchObject([
      { status: "warn", message: expect.stringContaining("other.example") },
    ]);
    await account.place.script({
      path: "webhook/test",
      body: { success: false, statusCode: 401, reason: "ERROR_STATUS_CODE" },
    });
    expect(await connect(account, true)).toMatchObject([
      { status: "ok" },
      { status: "fail", message: expect.stringContaining("401"), fix: expect.stringContaining("LINE_CHANNEL_SECRET") },
    ]);
  });

  test("the check tells of a webhook that is off, a month that is nearly used up, and a token that is unknown", async () => {
    const account = makeAccount();
    await account.place.script(
      { path: "webhook/endpoint", body: { endpoint: webhookUrl, active: false } },
      { path: "consumption", body: { totalUsage: 195 } },
    );
    expect(await check(account)).toMatchObject([
      { status: "ok" },
      { status: "fail", message: expect.stringContaining("Use webhook") },
      { status: "warn", message: "195 of the month's 200 messages are used." },
    ]);
    const unknown = makeAccount({}, { LINE_CHANNEL_ACCESS_TOKEN: "an-unknown-token" });
    expect(await check(unknown)).toMatchObject([
      { status: "fail", message: expect.stringContaining("LINE_CHANNEL_ACCESS_TOKEN") },
    ]);
  });
});
