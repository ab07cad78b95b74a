import { SELF } from "cloudflare:test";
import { expect, inject, test } from "vitest";
import { hmac, toHex } from "../../src/security/hmac.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { messageOf, notificationOf } from "../channels/whatsapp/test-number.ts";
import type { ScriptedPlatformAnswer } from "../fakes/platforms/fake-platform.ts";
import { graphError } from "../fakes/platforms/whatsapp.ts";
import { evictSession, killSession, launchTool, newestExternalId, outboxOf } from "./channel-lab.ts";
import { asked, call, env, historyOf, script, waitFor } from "./client.ts";
import { equip } from "./session-lab.ts";

const OWNER = "15550000042";
const place = knownPlace("whatsapp", "flow", inject("platforms"));
const WEBHOOK = "https://isopod.test/channels/whatsapp/default/webhook";
let lastMessage = 0;

/** Calls the webhook as Meta does. */
async function deliver(value: object, secret = "flow-app-secret") {
  const body = JSON.stringify(notificationOf(value));
  const signature = `sha256=${toHex(await hmac("SHA-256", secret, body))}`;
  return SELF.fetch(WEBHOOK, { method: "POST", headers: { "X-Hub-Signature-256": signature }, body });
}

function textFrom(from: string, body: string) {
  return messageOf({ id: `wamid.FLOW${++lastMessage}`, type: "text", text: { body } }, from);
}

/** What a person was sent, without reactions and typing. */
async function sentTo(person: string): Promise<Record<string, any>[]> {
  const calls = await place.calls("messages");
  return calls.map(({ fields }) => fields).filter(({ to, type }) => to === person && type !== "reaction");
}

async function textsTo(person: string): Promise<string[]> {
  return (await sentTo(person)).flatMap(({ text }) => (text === undefined ? [] : [text.body]));
}

function sessionOf(person: string): string {
  return `agent:main:whatsapp:direct:${person}`;
}

/** Answers the next text in place of Meta's server. */
function onText(answer: ScriptedPlatformAnswer): Promise<void> {
  return place.script({ holds: "preview_url", ...answer });
}

test("Meta's check of the address is answered by the Worker", async () => {
  const query = "hub.mode=subscribe&hub.verify_token=flow-verify-token&hub.challenge=1158201444";
  const response = await SELF.fetch(`${WEBHOOK}?${query}`);
  expect([response.status, await response.text()]).toEqual([200, "1158201444"]);
});

test("a WhatsApp message is marked as read and gets its reply, and twenty deliveries of it at once are one run", async () => {
  const person = "15550100001";
  await script("default", [{ text: "**Hello** from the edge." }]);
  const message = textFrom(person, "Hi");
  const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(message)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  await waitFor(async () => (await textsTo(person)).length > 0);
  expect(await asked("default")).toHaveLength(1);
  expect(await textsTo(person)).toHaveLength(1);
  expect((await textsTo(person))[0]).toContain("Hello");
  const { messages } = await historyOf(sessionOf(person));
  expect(messages).toMatchObject([{ role: "user", text: "Hi", sender: { id: expect.any(String), owner: false } }, {}]);
  const read = (await place.calls("messages")).map(({ fields }) => fields).filter(({ status }) => status === "read");
  expect(read).toContainEqual(expect.objectContaining({ message_id: `wamid.FLOW${lastMessage}` }));
});

test("a WhatsApp webhook with a wrong signature is refused, and nothing is stored", async () => {
  await script("default", [{ text: "no" }]);
  expect((await deliver(textFrom("15550100002", "Let me in"), "another secret")).status).toBe(401);
  expect(await asked("default")).toHaveLength(0);
});

test("a picture of a WhatsApp message is in the workspace before the agent answers", async () => {
  await script("default", [{ text: "Nice." }]);
  await deliver(messageOf({ id: "wamid.PIC", type: "image", image: { id: "815", mime_type: "image/jpeg" } }, OWNER));
  await waitFor(async () => (await textsTo(OWNER)).includes("Nice."));
  const path = "inbox/whatsapp-15550000042-wamid.PIC-image.jpg";
  const file = await env.FILES.get(`agents/main/workspace/${path}`);
  expect(await file?.text()).toBe("contents of 815");
});

test("if Meta answers 500, the reply is unsure and not repeated, and the next reply tells of it", async () => {
  const person = "15550100003";
  await script("default", [{ text: "First." }, { text: "Second." }]);
  await place.script(
    { path: "messages", status: 200, body: {} },
    { path: "messages", ...graphError(500, 131_000, "Oops") },
  );
  await deliver(textFrom(person, "One"));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "unsure");
  await deliver(textFrom(person, "Two"));
  await waitFor(async () => (await textsTo(person)).some((text) => text.includes("may not have arrived")));
  expect(await textsTo(person)).toEqual(["First.", "Second.", expect.stringContaining("“First.”")]);
});

test("if Meta says that it is too much, the reply waits and arrives once, although its session was evicted", async () => {
  const person = "15550100004";
  await script("default", [{ text: "Patient." }]);
  const busy = { ...graphError(400, 131_056, "Pair rate limit hit"), headers: { "Retry-After": "1" } };
  await onText(busy);
  await deliver(textFrom(person, "Be patient"));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.attempts === 1);
  await evictSession(sessionOf(person));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "delivered");
  // The call that was refused, and the one that was taken.
  expect(await textsTo(person)).toEqual(["Patient.", "Patient."]);
});

test("a reply that Meta takes without an answer is unsure once its session is killed, and is not sent again", async () => {
  const person = "15550100005";
  await script("default", [{ text: "Perhaps." }]);
  await onText({ hang: true });
  await deliver(textFrom(person, "Well?"));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "sending");
  await waitFor(async () => (await textsTo(person)).length === 1);
  await killSession(sessionOf(person));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "unsure");
  expect(await textsTo(person)).toHaveLength(1);
  // A status names the delivery as well, so that the failure of a message without an id is known.
  const [{ biz_opaque_callback_data } = {}] = await sentTo(person);
  const status = { id: "wamid.UNKNOWN", status: "failed", recipient_id: person, biz_opaque_callback_data };
  await deliver({ statuses: [{ ...status, errors: [{ code: 131_026, title: "Message undeliverable" }] }] });
  expect(await outboxOf(sessionOf(person))).toMatchObject([
    { status: "failed", delivery: { reason: expect.stringContaining("131026") } },
  ]);
});

test("a message that Meta reports as undeliverable is told of with the reason", async () => {
  const person = "15550100006";
  await script("default", [{ text: "Lost." }, { text: "Found." }]);
  await deliver(textFrom(person, "One"));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "delivered");
  const externalId = await newestExternalId(sessionOf(person));
  const errors = [{ code: 131_026, title: "Message undeliverable" }];
  await deliver({ statuses: [{ id: externalId, status: "failed", recipient_id: person, errors }] });
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "failed");
  await deliver(textFrom(person, "Two"));
  await waitFor(async () => (await textsTo(person)).some((text) => text.includes("did not arrive")));
  expect((await textsTo(person)).at(-1)).toContain("has blocked this one");
});

test("a message that came after the conversation was closed goes out as the template, once", async () => {
  const person = "15550100007";
  await script("default", [{ text: "Too late." }]);
  await deliver(textFrom(person, "One"));
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "delivered");
  const externalId = await newestExternalId(sessionOf(person));
  const errors = [{ code: 131_047, title: "Re-engagement message" }];
  const failed = { statuses: [{ id: externalId, status: "failed", recipient_id: person, errors }] };
  expect((await deliver(failed)).status).toBe(200);
  await waitFor(async () => (await sentTo(person)).length === 2);
  expect((await sentTo(person))[1]).toMatchObject({
    type: "template",
    template: { name: "reopen_first", components: [{ parameters: [{ text: "Too late." }] }] },
  });
  await waitFor(async () => (await outboxOf(sessionOf(person)))[0]?.status === "delivered");
  await deliver(failed);
  expect(await sentTo(person)).toHaveLength(2);
  expect(await outboxOf(sessionOf(person))).toMatchObject([{ status: "delivered" }]);
});

test("an owner approves a tool call by pressing a button", async () => {
  const launched: string[] = [];
  await equip("agent:main:main", { extraTools: [launchTool(launched)] });
  await script("default", [{ calls: [{ name: "launch", args: { what: "a rocket" } }] }, { text: "Lift-off." }]);
  await deliver(textFrom(OWNER, "Launch it"));
  const question = async () => (await sentTo(OWNER)).find(({ type }) => type === "interactive");
  await waitFor(async () => (await question()) !== undefined);
  const { body, action } = (await question())?.interactive ?? {};
  expect(body.text).toContain("Launch a rocket?");
  expect(action.buttons.map(({ reply }: any) => reply.title)).toEqual(["Allow once", "Always", "Deny"]);
  const [{ reply }] = action.buttons;
  const pressed = { type: "interactive", interactive: { type: "button_reply", button_reply: reply } };
  await deliver(messageOf({ id: "wamid.PRESS", ...pressed }, OWNER));
  await waitFor(async () => (await textsTo(OWNER)).includes("Lift-off."));
  expect(launched).toEqual(["a rocket"]);
});

test("the doctor examines the WhatsApp account", async () => {
  const { checks } = await (await call("GET", "/v1/doctor")).json<{ checks: { id: string; message: string }[] }>();
  const found = checks.find(({ id }) => id === "channels.whatsapp.default");
  expect(found?.message).toContain("+1 555-000-1111");
});
