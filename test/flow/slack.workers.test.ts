import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { BOT_ID, envelope, signed } from "../channels/slack/test-app.ts";
import { launchTool } from "./channel-lab.ts";
import { asked, call, historyOf, script, waitFor } from "./client.ts";
import { channelSecrets } from "./config.ts";

const place = knownPlace("slack", "flow", inject("platforms"));
const OWNER = "U0FLOWOWNER";
const CHANNEL = "C0FLOWCHAN";
let lastMinute = 0;

/** A time of a message that no other has. */
function newTime(): string {
  return `17999${String(++lastMinute).padStart(5, "0")}.000100`;
}

async function post(body: string, secret = channelSecrets.SLACK_SIGNING_SECRET): Promise<Response> {
  const request = await signed(body, { secret, seconds: Math.floor(Date.now() / 1000) });
  return SELF.fetch("https://isopod.test/channels/slack/default/webhook", request);
}

function written(text: string, more: object = {}): object {
  const ts = newTime();
  return { type: "message", user: OWNER, text, ts, event_ts: ts, channel: "D0FLOWDM001", channel_type: "im", ...more };
}

const deliver = (event: object, secret?: string) => post(JSON.stringify(envelope(event)), secret);
const form = (fields: Record<string, string>) => post(new URLSearchParams(fields).toString());

async function sent(channel = "D0FLOWDM001"): Promise<Record<string, unknown>[]> {
  const calls = await place.calls("chat.postMessage");
  return calls.filter(({ fields }) => fields.channel === channel).map(({ fields }) => fields);
}

async function said(text: string, channel?: string): Promise<Record<string, unknown>[]> {
  return (await sent(channel)).filter((fields) => fields.text === text);
}

const MAIN = "agent:main:main";
const stub = async () => env.SESSIONS.getByName(await objectNameOf(MAIN));

async function deliveries(sessionKey = MAIN): Promise<{ status: string; deliveryId: string; runId: string }[]> {
  const { runId } = ((await historyOf(sessionKey)).messages.at(-1) ?? {}) as { runId?: string };
  if (runId === undefined) return [];
  const run = await (await call("GET", `/v1/runs/${runId}`)).json<{ deliveries: any[] }>();
  return run.deliveries.map((one) => ({ ...one, runId }));
}

async function settledAs(status: string): Promise<void> {
  await waitFor(async () => {
    const all = await deliveries();
    return all.length > 0 && all.every((one) => one.status === status);
  });
}

beforeEach(async () => {
  // What one test has left is not the next one's.
  await place.script();
});

test("a message in a DM gets its reply there, and stands in the owner's session", async () => {
  await script("default", [{ text: "**Hello** from the edge." }]);
  expect((await deliver(written("Hi there"))).status).toBe(200);
  await waitFor(async () => (await sent()).length === 1);
  expect(await sent()).toMatchObject([{ text: "*Hello* from the edge.", unfurl_links: "false" }]);
  const { messages } = await historyOf(MAIN);
  expect(messages.slice(-2)).toMatchObject([{ role: "user", text: "Hi there" }, { role: "assistant" }]);
});

test("a mention that comes ten times as a message and ten times as a mention is one run and one reply", async () => {
  await script("default", [{ text: "Once." }, { text: "Twice." }]);
  const mention = written(`<@${BOT_ID}> storm`, { channel: CHANNEL, channel_type: "channel" });
  const twin = { ...mention, type: "app_mention", channel_type: undefined };
  const storm = await Promise.all(Array.from({ length: 20 }, (_, n) => deliver(n % 2 === 0 ? mention : twin)));
  expect(new Set(storm.map(({ status }) => status))).toEqual(new Set([200]));
  await waitFor(async () => (await said("Once.", CHANNEL)).length === 1);
  expect((await deliver(twin)).status).toBe(200);
  await waitFor(async () => (await deliveries(`agent:main:slack:channel:${CHANNEL}`))[0]?.status === "delivered");
  expect(await sent(CHANNEL)).toHaveLength(1);
  expect(await asked("default")).toHaveLength(1);
});

test("a thread has a session of its own, whose replies and status are in the thread", async () => {
  await script("default", [{ text: "In here." }]);
  const thread = newTime();
  const more = { channel: CHANNEL, channel_type: "channel", thread_ts: thread, parent_user_id: OWNER };
  await deliver(written(`<@${BOT_ID}> and in the thread?`, more));
  await waitFor(async () => (await said("In here.", CHANNEL)).length === 1);
  expect(await said("In here.", CHANNEL)).toMatchObject([{ thread_ts: thread }]);
  const { messages } = await historyOf(`agent:main:slack:channel:${CHANNEL}:thread:${thread}`);
  expect(messages.at(0)).toMatchObject({ text: "and in the thread?" });
  const status = (await place.calls("assistant.threads.setStatus")).map(({ fields }) => fields);
  expect(status).toContainEqual(expect.objectContaining({ channel_id: CHANNEL, thread_ts: thread }));
});

test("a message with a wrong signature is refused, and no model is asked", async () => {
  await script("default", [{ text: "no" }]);
  expect((await deliver(written("Let me in"), "another secret")).status).toBe(401);
  expect(await asked("default")).toHaveLength(0);
});

test("a stranger gets a pairing code in the DM", async () => {
  await deliver(written("Hello?", { user: "U0FLOWGUEST", channel: "D0FLOWDM002" }));
  await waitFor(async () => (await sent("D0FLOWDM002")).length === 1);
  expect(await sent("D0FLOWDM002")).toMatchObject([{ text: expect.stringMatching(/\*[0-9A-Z]{8}\*/) }]);
});

describe("a reply", () => {
  const busy = {
    path: "chat.postMessage",
    status: 429,
    headers: { "Retry-After": "1" },
    body: { ok: false, error: "ratelimited" },
  };

  test("that Slack takes later is sent again after its pause, also by a session that has left memory", async () => {
    await script("default", [{ text: "Patient." }]);
    await place.script(busy);
    await deliver(written("Be patient"));
    await waitFor(async () => (await said("Patient.")).length === 1);
    await evictDurableObject(await stub());
    await settledAs("delivered");
    expect(await said("Patient.")).toHaveLength(2);
  });

  test.each([
    ["whose answer is lost", { cut: "after" }],
    ["at which Slack breaks", { status: 500, body: "broken" }],
    ["that Slack says may have failed", { body: { ok: false, error: "internal_error" } }],
  ] as const)("%s is unsure, and sent again on request under the same id", async (what, answer) => {
    const text = `Unsure, ${what}.`;
    await script("default", [{ text }]);
    await place.script({ path: "chat.postMessage", ...answer });
    await deliver(written("Are you sure?"));
    await settledAs("unsure");
    expect(await said(text)).toHaveLength(1);
    const [{ runId, deliveryId } = { runId: "", deliveryId: "" }] = await deliveries();
    await call("POST", `/v1/runs/${runId}/deliveries/${deliveryId}/resend`);
    await settledAs("delivered");
    const ids = (await said(text)).map((fields) => fields.client_msg_id);
    expect(ids).toEqual([ids[0], ids[0]]);
  });

  test("whose session dies while it is being sent is not sent twice", async () => {
    await script("default", [{ text: "Last words." }]);
    await place.script({ path: "chat.postMessage", hang: true });
    await deliver(written("Stay"));
    await waitFor(async () => (await said("Last words.")).length === 1);
    const killed = runInDurableObject(await stub(), (_, state) => state.abort("killed by a test"));
    await expect(killed).rejects.toThrow("killed by a test");
    await runDurableObjectAlarm(await stub());
    await settledAs("unsure");
    expect(await said("Last words.")).toHaveLength(1);
  });

  test("that Slack refuses says why, where it is looked for", async () => {
    await script("default", [{ text: "Nobody there." }]);
    await place.script({ path: "chat.postMessage", body: { ok: false, error: "is_archived" } });
    await deliver(written("Anybody?"));
    await waitFor(async () => (await deliveries())[0]?.status === "failed");
    const { deliveries: lost } = await (await call("GET", `/v1/sessions/${encodeURIComponent(MAIN)}/deliveries`)).json<{
      deliveries: object[];
    }>();
    expect(JSON.stringify(lost)).toContain("The channel is archived");
  });
});

const COMMAND = { channel_id: CHANNEL, user_id: OWNER, user_name: "ada", team_id: "T0LABTEAM1", command: "/isopod" };

describe("a slash command", () => {
  test("is answered to its author alone, and in the channel's session", async () => {
    await script("default", [{ text: "Just for you." }]);
    const response_url = `${place.url}/respond/first`;
    const response = await form({ ...COMMAND, text: "psst", trigger_id: "1.2.first", response_url });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    await waitFor(async () => (await place.calls("respond/first")).length === 1);
    const [answer] = await place.calls("respond/first");
    expect(answer?.fields).toMatchObject({ response_type: "ephemeral", text: "Just for you." });
    expect(await said("Just for you.", CHANNEL)).toEqual([]);
    const { messages } = await historyOf(`agent:main:slack:channel:${CHANNEL}`);
    expect(messages.at(-2)).toMatchObject({ text: "psst" });
  });

  test("in a channel that the agent does not answer in tells its author so", async () => {
    const response = await form({ ...COMMAND, channel_id: "C0FLOWOTHER", text: "hi", trigger_id: "1.2.other" });
    expect(await response.json()).toEqual({
      response_type: "ephemeral",
      text: "This was not taken up: the group is not in groups.",
    });
  });

  test("that is a command of Isopod's acts as one", async () => {
    const response_url = `${place.url}/respond/whoami`;
    await form({ ...COMMAND, channel_id: "D0FLOWDM001", text: "/whoami", trigger_id: "1.2.whoami", response_url });
    await waitFor(async () => (await place.calls("respond/whoami")).length > 0);
    const [answer] = await place.calls("respond/whoami");
    expect(answer?.fields.text).toContain(OWNER);
  });
});

test("a question to a person has buttons, and a press lets the run go on", async () => {
  const launched: string[] = [];
  const launch = launchTool(launched);
  await runInDurableObject(await stub(), (instance) => Object.assign(instance, { extraTools: [launch] }));
  await script("default", [{ calls: [{ name: "launch", args: { what: "slack-1" } }] }, { text: "Launched." }]);
  await deliver(written("Launch it"));
  const question = async () => (await sent()).find(({ text }) => String(text).includes("Launch slack-1?"));
  await waitFor(async () => (await question()) !== undefined);
  const blocks = JSON.parse(String((await question())?.blocks));
  const [button] = blocks.find(({ type }: { type: string }) => type === "actions").elements;
  expect(launched).toEqual([]);
  const payload = {
    ...{ type: "block_actions", user: { id: OWNER, username: "ada" }, channel: { id: "D0FLOWDM001" } },
    container: { type: "message", message_ts: newTime(), channel_id: "D0FLOWDM001" },
    actions: [{ ...button, action_ts: "1799999999.5" }],
  };
  expect((await form({ payload: JSON.stringify(payload) })).status).toBe(200);
  await waitFor(async () => (await said("Launched.")).length === 1);
  expect(launched).toEqual(["slack-1"]);
});

test("a file is fetched once its message is taken up, and the model sees it", async () => {
  await script("default", [{ text: "I see it." }]);
  const url = `${place.url}/files-pri/report.txt`;
  const file = { id: "F0FLOW1", name: "report.txt", mimetype: "text/plain", size: 22, url_private_download: url };
  const event = written("Look at this", { subtype: "file_share", files: [file] });
  await deliver(event);
  await waitFor(async () => (await said("I see it.")).length === 1);
  const [request] = await asked("default");
  const path = `inbox/slack-D0FLOWDM001-${(event as { ts: string }).ts}-report.txt`;
  expect(JSON.stringify(request?.body.messages.at(-1))).toContain(`[File: ${path} (text/plain), 22 bytes]`);
  expect(await (await env.FILES.get(`agents/main/workspace/${path}`))?.text()).toBe("contents of report.txt");
});

test("the manifest to paste has the account's address, or the one that is named", async () => {
  const manifest = await (
    await call("GET", "/v1/channels/slack/default/manifest?url=https%3A%2F%2Fagent.example.com")
  ).json<{ text: string }>();
  expect(JSON.parse(manifest.text).settings.event_subscriptions.request_url).toBe(
    "https://agent.example.com/channels/slack/default/webhook",
  );
});
