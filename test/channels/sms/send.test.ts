import { describe, expect, test } from "vitest";
import type { Delivery, OutboundPart } from "../../../src/channels/channel.ts";
import { sms } from "../../../src/channels/sms/sms.ts";
import { TWILIO_NUMBER, TWILIO_SERVICE, TWILIO_SID, TWILIO_TOKEN, twilioError } from "../../fakes/platforms/sms.ts";
import { ADA, makeAccount, type TestAccount, WEBHOOK } from "./test-account.ts";

function send({ context, target }: TestAccount, part: Partial<OutboundPart> = {}): Promise<Delivery> {
  const whole = { target, text: "hello", deliveryId: "dlv_1", ...part };
  return sms.send(whole, context, AbortSignal.timeout(2_000));
}

async function forms({ place }: TestAccount): Promise<Record<string, unknown>[]> {
  return (await place.calls("/Messages.json")).map(({ fields }) => fields);
}

describe("requests to Twilio", () => {
  test("a part is a form with the address for its statuses", async () => {
    const account = makeAccount();
    expect(await send(account)).toEqual({ outcome: "delivered", externalId: expect.stringMatching(/^SM\d{32}$/) });
    const [call] = await account.place.calls();
    expect(call).toMatchObject({ method: "POST", path: `2010-04-01/Accounts/${TWILIO_SID}/Messages.json` });
    expect(call?.headers.authorization).toBe(`Basic ${btoa(`${TWILIO_SID}:${TWILIO_TOKEN}`)}`);
    expect(call?.fields).toEqual({
      To: ADA,
      From: TWILIO_NUMBER,
      Body: "hello",
      StatusCallback: `${WEBHOOK}?delivery=dlv_1`,
    });
  });

  test("an answer is from the number that was written to, or by the messaging service", async () => {
    const account = makeAccount();
    await send(account, { target: { ...account.target, via: "+15550009999" } });
    expect((await forms(account))[0]).toMatchObject({ From: "+15550009999" });
    const pool = makeAccount({ messagingServiceSid: TWILIO_SERVICE });
    await send(pool, { target: { ...pool.target, via: "+15550009999" } });
    expect((await forms(pool))[0]).toMatchObject({ MessagingServiceSid: TWILIO_SERVICE });
    expect((await forms(pool))[0]).not.toHaveProperty("From");
  });

  test("statuses go to the address that the account names, or where the Worker was called, or nowhere without https", async () => {
    const named = makeAccount({ webhookUrl: "https://proxy.example/sms?a=1" });
    await send(named);
    expect((await forms(named))[0]?.StatusCallback).toBe("https://proxy.example/sms?a=1&delivery=dlv_1");
    const { publicUrl: _, ...context } = makeAccount().context;
    for (const [origin, expected] of [
      ["https://seen.example", "https://seen.example/channels/sms/default/webhook?delivery=dlv_1"],
      ["http://127.0.0.1:8787", undefined],
    ] as const) {
      const account = makeAccount();
      const own = { ...context, account: account.context.account };
      await send({ ...account, context: own }, { target: { ...account.target, origin } });
      expect((await forms(account))[0]?.StatusCallback).toBe(expected);
    }
  });
});

describe("a refusal by Twilio", () => {
  test("for sending too fast is tried again, whatever its status", async () => {
    const account = makeAccount();
    await account.place.script(twilioError(400, 21611, "The queue is full"));
    expect(await send(account)).toMatchObject({ outcome: "retry" });
  });

  test("for good says what it means and what to do", async () => {
    const reasons: [code: number, reason: RegExp][] = [
      [21610, /answered STOP/],
      [21408, /Geo permissions/],
      [21608, /trial account/],
      [21614, /cannot receive SMS/],
      [99_999, /99999: Something/],
    ];
    for (const [code, reason] of reasons) {
      const account = makeAccount();
      await account.place.script(twilioError(400, code, "Something"));
      expect(await send(account)).toMatchObject({ outcome: "failed", reason: expect.stringMatching(reason) });
    }
  });

  test("in an accepted message is a failure as well", async () => {
    const account = makeAccount();
    const failed = { sid: "SM1", status: "failed", error_code: 30006, error_message: "Landline" };
    await account.place.script({ status: 201, body: failed });
    expect(await send(account)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("landline") });
  });

  test("of the password names the settings, and never repeats it", async () => {
    const account = makeAccount({}, { TWILIO_AUTH_TOKEN: "an-old-auth-token" });
    expect(await send(account)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("auth token") });
    await account.place.script(twilioError(400, 20001, "an-old-auth-token is wrong"));
    expect(JSON.stringify(await send(account))).not.toContain("an-old-auth-token");
  });
});

describe("a file of an MMS", () => {
  const stored = "https://mms.twiliocdn.example/file";
  const open = (account: TestAccount, url: string) =>
    sms.openAttachment?.({ url }, account.context, AbortSignal.timeout(2_000));
  const mediaUrl = ({ place }: TestAccount) => `${place.url}/2010-04-01/Accounts/${TWILIO_SID}/Messages/MM1/Media/ME1`;

  test("is followed once to where it is stored, without the password", async () => {
    const account = makeAccount();
    const asked: [string, string | null][] = [];
    account.context.fetch = (input, init) => {
      const request = new Request(input, init);
      asked.push([request.url, request.headers.get("Authorization")]);
      return request.url === stored ? Promise.resolve(new Response("picture")) : fetch(request);
    };
    await account.place.script({ status: 307, headers: { Location: stored } });
    expect(await new Response(await open(account, mediaUrl(account))).text()).toBe("picture");
    expect(asked).toEqual([
      [mediaUrl(account), expect.stringMatching(/^Basic /)],
      [stored, null],
    ]);
  });

  test("is not followed to an address without https, nor asked of another host than Twilio's", async () => {
    const account = makeAccount();
    await account.place.script({ status: 307, headers: { Location: "http://127.0.0.1/secret" } });
    await expect(open(account, mediaUrl(account))).rejects.toMatchObject({ message: expect.stringContaining("307") });
    for (const url of ["https://twilio.com.evil.example/ME1", "http://api.twilio.com/ME1"]) {
      await expect(open(account, url)).rejects.toMatchObject({ code: "unavailable" });
    }
    expect(await account.place.calls()).toHaveLength(1);
  });
});

describe("setting SMS up", () => {
  const signal = AbortSignal.timeout(5_000);
  const check = ({ context }: TestAccount) => sms.check?.(context, WEBHOOK, signal);
  const connect = ({ context }: TestAccount, takeOver = false) =>
    sms.connect?.(context, { webhookUrl: WEBHOOK, takeOver }, signal);

  test("connecting points a number to this Worker, and the check then passes", async () => {
    const account = makeAccount();
    expect(await check(account)).toMatchObject([
      { status: "ok" },
      { status: "warn", fix: expect.stringContaining(WEBHOOK) },
    ]);
    expect(await connect(account)).toMatchObject([{ status: "ok", message: expect.stringContaining(WEBHOOK) }]);
    expect(await check(account)).toMatchObject([{ status: "ok" }, { status: "ok" }]);
    expect(await connect(account)).toMatchObject([{ status: "ok" }]);
  });

  test("connecting points a messaging service to this Worker", async () => {
    const account = makeAccount({ messagingServiceSid: TWILIO_SERVICE });
    expect(await check(account)).toMatchObject([{ status: "ok" }, { status: "fail" }]);
    expect(await connect(account)).toMatchObject([{ status: "ok", message: expect.stringContaining("Pool") }]);
    const set = (await account.place.calls("v1/Services")).at(-1);
    expect(set?.fields).toEqual({
      InboundRequestUrl: WEBHOOK,
      InboundMethod: "POST",
      UseInboundWebhookOnNumber: "false",
    });
    expect(await check(account)).toMatchObject([{ status: "ok" }, { status: "ok" }]);
  });

  test("connecting replaces an address of another server only when it is told to", async () => {
    const account = makeAccount();
    await sms.connect?.(account.context, { webhookUrl: "https://other.example/sms", takeOver: true }, signal);
    expect(await connect(account)).toMatchObject([
      { status: "warn", message: expect.stringContaining("other.example") },
    ]);
    expect(await connect(account, true)).toMatchObject([{ status: "ok" }]);
  });

  test("a number that the account does not own, and a wrong password, are told", async () => {
    expect(JSON.stringify(await check(makeAccount({ from: "+15550000000" })))).toContain("does not own +15550000000");
    const wrong = makeAccount({}, { TWILIO_AUTH_TOKEN: "wrong-auth-token" });
    expect(await check(wrong)).toMatchObject([{ status: "fail", message: expect.stringContaining("20003") }]);
  });
});
