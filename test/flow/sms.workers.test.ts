import { SELF } from "cloudflare:test";
import { expect, inject, test } from "vitest";
import { knownPlace } from "../channels/platform-lab.ts";
import { messageFields, signedForm } from "../channels/sms/test-account.ts";
import { TWILIO_NUMBER, twilioError } from "../fakes/platforms/sms.ts";
import { evictSession, killSession, newestExternalId, outboxOf } from "./channel-lab.ts";
import { asked, historyOf, script, waitFor } from "./client.ts";

const place = knownPlace("sms", "flow", inject("platforms"));
const WEBHOOK = "https://isopod.test/channels/sms/default/webhook";
let lastMessage = 0;

/** Calls the webhook as Twilio does. */
async function deliver(fields: Record<string, string>, url = WEBHOOK, token?: string) {
  return SELF.fetch(await signedForm(fields, { url, ...(token !== undefined && { token }) }));
}

function textFrom(From: string, Body: string) {
  return messageFields({ MessageSid: `SMFLOW${++lastMessage}`, From, Body });
}

async function sentTo(person: string): Promise<Record<string, unknown>[]> {
  return (await place.calls("/Messages.json")).map(({ fields }) => fields).filter(({ To }) => To === person);
}

async function textsTo(person: string): Promise<unknown[]> {
  return (await sentTo(person)).map(({ Body }) => Body);
}

function sessionOf(person: string): string {
  return `agent:main:sms:direct:${person}`;
}

test("an SMS gets TwiML at once and its reply by the API, and twenty deliveries of it at once are one run", async () => {
  const person = "+15550200001";
  await script("default", [{ text: "**Hello** from the edge." }]);
  const message = textFrom(person, "Hi");
  const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(message)));
  for (const response of answers) expect([response.status, await response.text()]).toEqual([200, "<Response/>"]);
  await waitFor(async () => (await textsTo(person)).length > 0);
  expect(await asked("default")).toHaveLength(1);
  const [sent, ...others] = await sentTo(person);
  expect(others).toEqual([]);
  expect(sent).toMatchObject({
    From: TWILIO_NUMBER,
    Body: "Hello from the edge.",
    StatusCallback: expect.stringMatching(/^https:\/\/isopod\.test\/channels\/sms\/default\/webhook\?delivery=dlv_/),
  });
  const { messages } = await historyOf(sessionOf(person));
  expect(messages).toMatchObject([{ role: "user", text: "Hi" }, { role: "assistant" }]);
});

test("an SMS webhook with a wrong signature is refused, and nothing is stored", async () => {
  await script("default", [{ text: "no" }]);
  expect((await deliver(textFrom("+15550200002", "Let me in"), WEBHOOK, "another token")).status).toBe(401);
  expect(await asked("default")).toHaveLength(0);
});

test("a person who says STOP is not answered", async () => {
  await script("default", [{ text: "no" }]);
  expect((await deliver(textFrom("+15550200003", "STOP"))).status).toBe(200);
  expect(await asked("default")).toHaveLength(0);
  expect(await sentTo("+15550200003")).toEqual([]);
});

test("if Twilio answers 500, the reply is unsure and not repeated, and the next reply tells of it", async () => {
  const person = "+15550200004";
  await script("default", [{ text: "First." }, { text: "Second." }]);
  await place.script(twilioError(500, 20500, "Internal Server Error"));
  await deliver(textFrom(person, "One"));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "unsure");
  await deliver(textFrom(person, "Two"));
  await waitFor(async () => (await textsTo(person)).length === 3);
  expect(await textsTo(person)).toEqual(["First.", "Second.", expect.stringContaining("may not have arrived")]);
});

test("if Twilio says that it is too much, the reply waits and arrives once, although its session was evicted", async () => {
  const person = "+15550200005";
  await script("default", [{ text: "Patient." }]);
  await place.script({ ...twilioError(429, 20429, "Too Many Requests"), headers: { "Retry-After": "1" } });
  await deliver(textFrom(person, "Be patient"));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.attempts === 1);
  await evictSession(sessionOf(person));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "delivered");
  // The call that was refused, and the one that was taken.
  expect(await textsTo(person)).toEqual(["Patient.", "Patient."]);
});

test("a reply that Twilio takes without an answer is unsure, until its status says that it failed", async () => {
  const person = "+15550200006";
  await script("default", [{ text: "Perhaps." }]);
  await place.script({ hang: true });
  await deliver(textFrom(person, "Well?"));
  await waitFor(async () => (await textsTo(person)).length === 1);
  await killSession(sessionOf(person));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "unsure");
  expect(await textsTo(person)).toHaveLength(1);
  const callback = String((await sentTo(person))[0]?.StatusCallback);
  const status = {
    MessageSid: "SMUNKNOWN",
    From: TWILIO_NUMBER,
    To: person,
    MessageStatus: "failed",
    ErrorCode: "30005",
  };
  expect((await deliver(status, callback)).status).toBe(200);
  expect(await outboxOf(sessionOf(person))).toMatchObject([
    { status: "failed", delivery: { reason: expect.stringContaining("30005") } },
  ]);
});

test("an SMS that Twilio reports as undelivered is told of with the reason", async () => {
  const person = "+15550200007";
  await script("default", [{ text: "Lost." }, { text: "Found." }]);
  await deliver(textFrom(person, "One"));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "delivered");
  const MessageSid = await newestExternalId(sessionOf(person));
  const status = { MessageSid, From: TWILIO_NUMBER, To: person, MessageStatus: "undelivered", ErrorCode: "30003" };
  await deliver(status, String((await sentTo(person))[0]?.StatusCallback));
  await deliver(textFrom(person, "Two"));
  await waitFor(async () => (await textsTo(person)).length === 3);
  expect((await textsTo(person)).at(-1)).toMatch(/did not arrive \(The phone could not be reached/);
});
