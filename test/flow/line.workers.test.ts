import { SELF } from "cloudflare:test";
import { expect, inject, test } from "vitest";
import { callOf, eventOf, signedCall, textEvent } from "../channels/line/test-account.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { lineError } from "../fakes/platforms/line.ts";
import { evictSession, killSession, launchTool, outboxOf, targetsOf } from "./channel-lab.ts";
import { asked, call, historyOf, script, waitFor } from "./client.ts";
import { equip } from "./session-lab.ts";

const OWNER = `U${"42".repeat(16)}`;
const GROUP = `C${"5".repeat(32)}`;
const place = knownPlace("line", "flow", inject("platforms"));

/** Calls the webhook as LINE does. */
async function deliver(event: object, secret = "flow-channel-secret") {
  const request = await signedCall(callOf(event), secret);
  return SELF.fetch(new Request("https://isopod.test/channels/line/default/webhook", request));
}

/** The id of a person that no other test has. */
function personId(n: number): string {
  return `U${String(n).padStart(32, "0")}`;
}

let lastMessage = 0;

/** A text of a person's; with a token where it can be answered, else what comes of it is pushed. */
function textFrom(userId: string, text: string, replyToken?: string, more: object = {}) {
  const message = { id: `5000${++lastMessage}`, type: "text", text, ...more };
  return eventOf({ message, ...(replyToken !== undefined && { replyToken }) }, { type: "user", userId });
}

/** What was sent: by which reply token, or to whom, with which key, and the text. */
async function sent(): Promise<{ to: unknown; key: string | undefined; text: string; quickReply?: any }[]> {
  const calls = await place.calls("v2/bot/message/");
  return calls
    .filter(({ method }) => method === "POST")
    .map(({ fields, headers }) => ({
      to: fields.replyToken ?? fields.to,
      key: headers["x-line-retry-key"],
      ...(fields.messages as { text: string; quickReply?: unknown }[])[0]!,
    }));
}

async function textsTo(to: string): Promise<string[]> {
  return (await sent()).filter((message) => message.to === to).map(({ text }) => text);
}

function sessionOf(person: string): string {
  return `agent:main:line:direct:${person}`;
}

test("a LINE message is answered with its reply token, and twenty deliveries of it at once are one run", async () => {
  const person = personId(1);
  await script("default", [{ text: "**Hello** from the edge." }]);
  const message = textFrom(person, "Hi", "flow-token-1");
  const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(message)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await waitFor(async () => (await textsTo("flow-token-1")).length > 0);
  expect(await textsTo("flow-token-1")).toEqual(["Hello from the edge."]);
  expect(await textsTo(person)).toEqual([]);
  expect(await asked("default")).toHaveLength(1);
  const { messages } = await historyOf(sessionOf(person));
  expect(messages).toMatchObject([{ role: "user", text: "Hi" }, { role: "assistant" }]);
  expect((await place.calls("loading")).map(({ fields }) => fields.chatId)).toContain(person);
});

test("LINE's reply token is stored encrypted", async () => {
  const person = personId(2);
  await script("default", [{ text: "Yes." }]);
  await deliver(textFrom(person, "Hi", "flow-token-2"));
  await waitFor(async () => (await textsTo("flow-token-2")).length > 0);
  const [target = ""] = await targetsOf(sessionOf(person));
  expect(target).toContain("sealed");
  expect(target).not.toContain("flow-token-2");
});

test("a LINE webhook with a wrong signature is refused, and nothing is stored", async () => {
  await script("default", [{ text: "no" }]);
  expect((await deliver(textFrom(personId(3), "Let me in"), "another secret")).status).toBe(401);
  expect(await asked("default")).toHaveLength(0);
});

test("a group in LINE is answered where it mentions the account", async () => {
  await script("default", [{ text: "Here." }]);
  const source = { type: "group", groupId: GROUP, userId: personId(4) };
  const said = (text: string, more: object) => textEvent(text, { id: `6000${++lastMessage}`, ...more }, source);
  await deliver(said("Hi all", {}));
  expect(await asked("default")).toHaveLength(0);
  const mention = { mentionees: [{ index: 0, length: 7, type: "user", isSelf: true }] };
  await deliver({ ...said("@Isopod where are you?", { mention }), replyToken: undefined });
  await waitFor(async () => (await textsTo(GROUP)).length > 0);
  expect(await textsTo(GROUP)).toEqual(["Here."]);
});

test("if LINE answers 500, the reply is pushed again under the same key, although its session was evicted", async () => {
  const person = personId(5);
  await script("default", [{ text: "Once." }]);
  await place.script({ path: "push", status: 500, body: { message: "Internal Server Error" } });
  await deliver(textFrom(person, "Hi"));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.attempts === 1);
  await evictSession(sessionOf(person));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "delivered");
  const pushes = (await sent()).filter(({ to }) => to === person);
  expect(pushes).toHaveLength(2);
  expect(new Set(pushes.map(({ key }) => key)).size).toBe(1);
});

test("if LINE says that it is too much, the reply waits, and the month's limit is told", async () => {
  const person = personId(6);
  await script("default", [{ text: "Patient." }, { text: "Second." }, { text: "Third." }]);
  const busy = lineError(429, "The API rate limit has been exceeded. Try again later.");
  await place.script({ ...busy, path: "push", headers: { "Retry-After": "1" } });
  await deliver(textFrom(person, "Be patient"));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "delivered");
  await place.script({ path: "push", ...lineError(429, "You have reached your monthly limit.") });
  await deliver(textFrom(person, "Two"));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[1]?.status === "failed");
  await deliver(textFrom(person, "Three"));
  await waitFor(async () => (await textsTo(person)).some((text) => text.includes("did not arrive")));
  expect((await textsTo(person)).at(-1)).toContain("raise the plan");
});

test("a reply that LINE takes without an answer is unsure once its session is killed, and resending it sends it once", async () => {
  const person = personId(7);
  await script("default", [{ text: "Perhaps." }]);
  await place.script({ path: "push", hang: true });
  await deliver(textFrom(person, "Well?"));
  await waitFor(async () => (await textsTo(person)).length === 1);
  await killSession(sessionOf(person));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "unsure");
  const url = `/v1/sessions/${encodeURIComponent(sessionOf(person))}/deliveries`;
  const { deliveries } = await (await call("GET", url)).json<{ deliveries: { runId: string; deliveryId: string }[] }>();
  const [{ runId, deliveryId } = { runId: "", deliveryId: "" }] = deliveries;
  await call("POST", `/v1/runs/${runId}/deliveries/${deliveryId}/resend`);
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "delivered");
  const pushes = (await sent()).filter(({ to }) => to === person);
  // LINE has answered the second one with the id of the first.
  expect(new Set(pushes.map(({ key }) => key)).size).toBe(1);
  expect((await outboxOf(sessionOf(person)))[0]?.delivery).toMatchObject({
    externalId: expect.stringMatching(/^\d+$/),
  });
});

test("an owner approves a tool call by a quick reply", async () => {
  const launched: string[] = [];
  await equip("agent:main:main", { extraTools: [launchTool(launched)] });
  await script("default", [{ calls: [{ name: "launch", args: { what: "a rocket" } }] }, { text: "Lift-off." }]);
  await deliver(textFrom(OWNER, "Launch it"));
  const question = async () => (await sent()).find(({ to, quickReply }) => to === OWNER && quickReply !== undefined);
  await waitFor(async () => (await question()) !== undefined);
  const { text, quickReply } = (await question())!;
  expect(text).toContain("Launch a rocket?");
  const [{ action }] = quickReply.items;
  expect(action.label).toBe("Allow once");
  await deliver(eventOf({ type: "postback", postback: { data: action.data } }, { type: "user", userId: OWNER }));
  await waitFor(async () => (await textsTo(OWNER)).includes("Lift-off."));
  expect(launched).toEqual(["a rocket"]);
});
