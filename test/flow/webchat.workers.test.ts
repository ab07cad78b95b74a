import { env, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/tool.ts";
import type { Target } from "../../src/channels/channel.ts";
import type { WebchatContext } from "../../src/channels/webchat/account.ts";
import { newVisitor, visitorToken } from "../../src/channels/webchat/visitor-token.ts";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { definePlugin } from "../../src/plugins/plugin.ts";
import { readDataKey } from "../../src/security/data-key.ts";
import { enqueue, type OutboxPart } from "../../src/session-store/outbox.ts";
import { openStore } from "../../src/session-store/store.ts";
import { makePage, testKey } from "../channels/webchat/page.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";

/** A tool that nobody may use without an owner's word. */
const launch = defineTool({
  name: "launch",
  summary: "Launch",
  description: "Launches.",
  parameters: z.strictObject({}),
  replay: "unsafe",
  sequential: true,
  approval: () => "Launch it?",
  run: async () => ({ text: "launched" }),
});

const SHOP = "https://shop.example";

interface Asking {
  token?: string;
  origin?: string;
  account?: string;
  address?: string;
}

/** What the chat box on a page asks. */
function ask(what: string, body: object = {}, { token, origin = SHOP, account = "default", address }: Asking = {}) {
  return SELF.fetch(`https://isopod.test/channels/webchat/${account}/${what}`, {
    method: "POST",
    headers: {
      Origin: origin,
      "Content-Type": "application/json",
      "CF-Connecting-IP": address ?? `10.0.0.${++lastAddress % 250}`,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
}

let lastAddress = 0;

interface Shown {
  token: string;
  version: string;
  isBusy: boolean;
  entries: { id: string; from: string; content: unknown[] }[];
}

async function answer(asking: Promise<Response>): Promise<Shown> {
  const response = await asking;
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<Shown>();
}

async function visit(given: Asking = {}): Promise<{ token: string; session: string }> {
  const { token } = await answer(ask("visits", {}, given));
  return { token, session: `agent:main:webchat:direct:${token.split(".")[0]}` };
}

async function entriesOf(token: string): Promise<string[]> {
  const { entries } = await answer(ask("replies", {}, { token }));
  return entries.map(({ from, content }) => `${from}: ${JSON.stringify(content)}`);
}

/** Asks as the chat box does until nothing is on its way and the agent has spoken. */
async function readUntil(token: string, isThere: (shown: Shown) => boolean): Promise<Shown> {
  for (let since = "", tries = 0; tries < 40; tries++) {
    const shown = await answer(ask("replies", { since, wait: since !== "" }, { token }));
    since = shown.version;
    if (isThere(shown)) return shown;
  }
  throw new Error("It did not come.");
}

const spoke = (count: number) => (shown: Shown) => shown.entries.filter(({ from }) => from === "agent").length >= count;

test("a visitor's message is answered, and both are there after a reload", async () => {
  await script("default", [{ text: "Until **six**." }]);
  const first = await answer(ask("visits"));
  expect(first).toMatchObject({ title: "The shop", greeting: "How can I help?", entries: [], isBusy: false });
  expect((await ask("messages", { id: "message-1", text: "Are you open?" }, first)).status).toBe(200);
  await readUntil(first.token, spoke(1));
  const again = await answer(ask("visits", {}, first));
  expect(again.token.split(".")[0]).toBe(first.token.split(".")[0]);
  expect(again).toMatchObject({
    isBusy: false,
    entries: [
      { id: "message-1", from: "visitor", content: ["Are you open?"] },
      { id: expect.stringMatching(/^dlv_/), from: "agent", content: ["Until ", { is: "b", of: ["six"] }, "."] },
    ],
  });
});

test("a request waits for what is new, and is not answered with what is known", async () => {
  await script("default", [{ text: "There.", delayMs: 300 }]);
  const { token } = await visit();
  await ask("messages", { id: "message-1", text: "Anybody?" }, { token });
  const busy = await answer(ask("replies", {}, { token }));
  expect(busy).toMatchObject({ isBusy: true, entries: [{ id: "message-1" }] });
  const later = await answer(ask("replies", { since: busy.version, wait: true }, { token }));
  expect(later.version).not.toBe(busy.version);
  const all = await readUntil(token, (shown) => spoke(1)(shown) && !shown.isBusy);
  expect(await answer(ask("replies", { since: all.version }, { token }))).toEqual({
    version: all.version,
    isBusy: false,
    entries: [],
  });
});

test("nobody reads another visitor's conversation, nor one's own from another page or account", async () => {
  await script("default", [{ text: "A secret of one." }, { text: "For two." }]);
  const [one, two] = [await visit(), await visit()];
  await ask("messages", { id: "message-1", text: "I am one" }, one);
  await readUntil(one.token, spoke(1));
  await ask("messages", { id: "message-1", text: "I am two" }, two);
  await readUntil(two.token, spoke(1));
  expect(await entriesOf(two.token)).toEqual(['visitor: ["I am two"]', 'agent: ["For two."]']);
  expect((await ask("replies", {}, { token: one.token, account: "other" })).status).toBe(401);
  expect((await ask("replies", {}, { token: `${one.token}x` })).status).toBe(401);
  expect((await ask("replies", {})).status).toBe(401);
  expect(JSON.stringify(await asked("default"))).toContain("webchat:v");
  const { messages } = await historyOf(one.session);
  expect(messages[0]).toMatchObject({ sender: { owner: false } });
});

test("visitors share no session even where everybody else shares one", async () => {
  const scope = (dmScope: string) => call("PATCH", "/v1/config", { session: { dmScope } }, { "If-Match": "*" });
  expect((await scope("main")).status).toBe(200);
  await script("default", [{ text: "For one." }, { text: "For two." }]);
  for (const [n, words] of ["The word is tulip", "What is the word?"].entries()) {
    const { token } = await visit();
    await ask("messages", { id: "message-1", text: words }, { token });
    await readUntil(token, spoke(1));
    expect(await entriesOf(token)).toHaveLength(2);
    const request = JSON.stringify((await asked("default"))[n]);
    expect([request.includes(words), request.includes("tulip")]).toEqual([true, n === 0]);
  }
  expect((await scope("auto")).status).toBe(200);
});

test("only pages that are named are answered, and browsers are told so before they send anything", async () => {
  const allowed = await ask("visits");
  expect(allowed.headers.get("Access-Control-Allow-Origin")).toBe(SHOP);
  expect(allowed.headers.get("Access-Control-Allow-Credentials")).toBeNull();
  expect(allowed.headers.get("Vary")).toContain("Origin");
  expect(allowed.headers.get("Cache-Control")).toBe("no-store");
  // The page may read why a request failed.
  const failed = await ask("replies");
  expect([failed.status, failed.headers.get("Access-Control-Allow-Origin")]).toEqual([401, SHOP]);
  for (const given of [{ origin: "https://evil.example" }, { origin: "null" }, { account: "off" }]) {
    const refused = await ask("visits", {}, given);
    expect([refused.status, refused.headers.get("Access-Control-Allow-Origin")]).toEqual([403, null]);
  }
  expect((await ask("visits", {}, { account: "none" })).status).toBe(404);
  const preflight = (origin: string) =>
    SELF.fetch("https://isopod.test/channels/webchat/default/messages", {
      method: "OPTIONS",
      headers: { Origin: origin, "Access-Control-Request-Method": "POST" },
    });
  const before = await preflight(SHOP);
  expect(before.status).toBe(204);
  expect(before.headers.get("Access-Control-Allow-Headers")).toBe("Authorization, Content-Type");
  expect((await preflight("https://evil.example")).status).toBe(403);
  expect((await SELF.fetch("https://isopod.test/channels/telegram/default/visits", { method: "POST" })).status).toBe(
    404,
  );
});

test("an expired token, or one of another key, is nobody's", async () => {
  const { open, token } = await openTokens();
  expect((await ask("replies", {}, { token: await token(open) })).status).toBe(200);
  const past = { ...open, now: () => Date.now() - 31 * 86_400_000 };
  const forged = { ...open, dataKey: testKey("x") };
  for (const context of [past, forged]) {
    const asking = { token: await token(context) };
    expect((await ask("replies", {}, asking)).status).toBe(401);
    expect((await ask("messages", { id: "message-1", text: "It is me" }, asking)).status).toBe(401);
  }
});

/** Makes tokens as the Worker does, and as it would with another clock or key. */
async function openTokens() {
  const dataKey = readDataKey(env.ISOPOD_DATA_KEY);
  if (dataKey === undefined || dataKey === "malformed") throw new Error("There is no key.");
  const open: WebchatContext = {
    ...makePage().context,
    now: Date.now,
    dataKey,
  };
  return { open, token: (context: WebchatContext) => visitorToken(newVisitor(context), SHOP, context) };
}

test("nothing of an owner's answers to a visitor's token, and there is no webhook without the pages' limits", async () => {
  const { token } = await visit();
  const Authorization = `Bearer ${token}`;
  for (const path of ["/v1/me", "/v1/sessions", "/v1/config"]) {
    const headers = { Authorization, "CF-Connecting-IP": "192.0.2.77" };
    expect((await SELF.fetch(`https://isopod.test${path}`, { headers })).status).toBe(401);
  }
  const past = await SELF.fetch("https://isopod.test/channels/webchat/default/webhook", {
    method: "POST",
    headers: { Authorization, Origin: SHOP },
    body: JSON.stringify({ id: "message-1", text: "Hi" }),
  });
  expect(past.status).toBe(404);
});

test("the owner is given the tag, with the address that pages load it from", async () => {
  const manifest = await call("GET", "/v1/channels/webchat/other/manifest?url=https://agent.example.com");
  expect(await manifest.json()).toMatchObject({
    text: '<script src="https://agent.example.com/widget.js" data-account="other" async></script>',
  });
});

test("a message that is sent twenty times at once is one run and one reply", async () => {
  await script("default", [{ text: "Once." }]);
  const { token } = await visit();
  const sent = Array.from({ length: 20 }, () => ask("messages", { id: "message-1", text: "Storm" }, { token }));
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  await readUntil(token, (shown) => spoke(1)(shown) && !shown.isBusy);
  expect(await asked("default")).toHaveLength(1);
  expect(await entriesOf(token)).toEqual(['visitor: ["Storm"]', 'agent: ["Once."]']);
});

test("a reply comes once although its session dies before and while it is kept", async () => {
  await script("default", [{ text: "Still here.", delayMs: 200 }]);
  const { token, session } = await visit();
  await ask("messages", { id: "message-1", text: "Hello" }, { token });
  const name = await objectNameOf(session);
  const die = () => runInDurableObject(env.SESSIONS.getByName(name), (_, state) => state.abort("killed by a test"));
  await expect(die()).rejects.toThrow("killed by a test");
  await runDurableObjectAlarm(env.SESSIONS.getByName(name));
  await readUntil(token, spoke(1));
  await runInDurableObject(env.SESSIONS.getByName(name), (_, { storage }) =>
    storage.sql.exec("UPDATE outbox SET status = 'sending'"),
  );
  await expect(die()).rejects.toThrow("killed by a test");
  await runDurableObjectAlarm(env.SESSIONS.getByName(name));
  await readUntil(token, (shown) => spoke(1)(shown) && !shown.isBusy);
  expect(await entriesOf(token)).toEqual(['visitor: ["Hello"]', 'agent: ["Still here."]']);
});

test("a visitor sees no tools, no reasoning and no costs, even if the session shows them", async () => {
  const { token, session } = await visit();
  await script("default", [{ text: "Hi." }]);
  await ask("messages", { id: "message-1", text: "Hi" }, { token });
  await readUntil(token, spoke(1));
  for (const command of ["/verbose full", "/reasoning on", "/usage full"]) {
    await finished((await say(command, "default", { sessionKey: session })).runId);
  }
  await script("default", [
    { reasoning: "Let me look.", calls: [{ name: "session_status", args: {} }] },
    { reasoning: "I know now.", text: "All is well." },
  ]);
  await ask("messages", { id: "message-2", text: "How are you?" }, { token });
  await readUntil(token, (shown) => spoke(2)(shown) && !shown.isBusy);
  expect(await entriesOf(token)).toEqual([
    'visitor: ["Hi"]',
    'agent: ["Hi."]',
    'visitor: ["How are you?"]',
    'agent: ["All is well."]',
  ]);
});

test("what needs an owner's word is asked of no visitor", async () => {
  const { token, session } = await visit();
  await script("default", [{ text: "Hi." }, { calls: [{ name: "launch", args: {} }] }, { text: "Launched." }]);
  await ask("messages", { id: "message-1", text: "Hi" }, { token });
  await readUntil(token, spoke(1));
  const stub = env.SESSIONS.getByName(await objectNameOf(session));
  const plugin = definePlugin({ name: "tester", summary: "Tests", tools: [launch] });
  await runInDurableObject(stub, (instance) => Object.assign(instance, { extraPlugins: [plugin] }));
  const change = { tools: { others: { allow: ["launch"] } } };
  expect((await call("PATCH", "/v1/config", change, { "If-Match": "*" })).status).toBe(200);
  await ask("messages", { id: "message-2", text: "Launch it" }, { token });
  const open = async () => (await (await call("GET", "/v1/approvals")).json<{ approvals: any[] }>()).approvals;
  await waitFor(async () => (await open()).some(({ tool }) => tool === "launch"));
  const asked = ['visitor: ["Hi"]', 'agent: ["Hi."]', 'visitor: ["Launch it"]'];
  expect(await entriesOf(token)).toEqual(asked);
  const approval = (await open()).find(({ tool }) => tool === "launch");
  expect((await call("POST", `/v1/approvals/${approval.id}`, { decision: "allow-once" })).status).toBe(200);
  await readUntil(token, spoke(2));
  expect(await entriesOf(token)).toEqual([...asked, 'agent: ["Launched."]']);
});

test("of an error a visitor learns that there was one", async () => {
  const refusal = { error: { message: "The key sk-live-123 is revoked.", type: "invalid_request_error" } };
  await script("default", [
    { status: 401, body: refusal },
    { status: 401, body: refusal },
  ]);
  const { token } = await visit();
  await ask("messages", { id: "message-1", text: "Hi" }, { token });
  await readUntil(token, spoke(1));
  expect((await entriesOf(token))[1]).toBe('agent: ["I could not answer this. Please try again later."]');
});

test("a visitor who writes too fast is told so, and so is an address with too many visitors", async () => {
  const { token } = await visit();
  await script("default", [{ text: "ok" }]);
  const answers: number[] = [];
  // More than twice the rate, of which a new minute in between lets one part pass.
  for (let n = 0; n < 45; n++) {
    answers.push((await ask("messages", { id: `message-${n}`, text: "Hi" }, { token })).status);
  }
  expect(answers.filter((status) => status === 429)).not.toEqual([]);
  const address = "10.9.9.9";
  const visits = await Promise.all(Array.from({ length: 45 }, () => ask("visits", {}, { address })));
  const over = visits.find(({ status }) => status === 429);
  expect(over?.headers.get("Retry-After")).toBe("60");
  // Somebody who was here before still comes in, though not as often as a script asks.
  expect((await ask("visits", {}, { address, token })).status).toBe(200);
  const again = await Promise.all(Array.from({ length: 245 }, () => ask("visits", {}, { token })));
  expect(again.some(({ status }) => status === 429)).toBe(true);
});

/** Puts a part into the outbox of a session, which begins anew with it. */
async function enqueueIn(sessionKey: string, part: OutboxPart): Promise<void> {
  const name = await objectNameOf(sessionKey);
  const killed = runInDurableObject(env.SESSIONS.getByName(name), async (_, ctx) => {
    enqueue(openStore(ctx), { runId: "run_test", parts: [part] }, Date.now());
    await ctx.storage.sync();
    ctx.abort("killed by a test");
  });
  await expect(killed).rejects.toThrow("killed by a test");
  await runDurableObjectAlarm(env.SESSIONS.getByName(name));
}

function visitorTarget(conversationId: string): Target {
  return { channel: "webchat", accountId: "default", kind: "direct", conversationId };
}

test("a file is a link, which the visitor's browser opens without a token", async () => {
  await script("default", [{ text: "Here." }]);
  const { token, session } = await visit();
  await ask("messages", { id: "message-1", text: "The plan?" }, { token });
  await readUntil(token, spoke(1));
  const put = await call("PUT", "/v1/agents/main/workspace/out/plan.txt", "the plan", { "Content-Type": "text/plain" });
  const etag = (put.headers.get("ETag") ?? "").replaceAll('"', "");
  const target = visitorTarget(session.split(":").pop() ?? "");
  await enqueueIn(session, { target, text: "file", source: { kind: "file", path: "out/plan.txt", etag } });
  const { entries } = await readUntil(token, spoke(2));
  const link = entries[2]?.content[0] as { href: string; of: string[] };
  expect(link.of).toEqual(["📎 plan.txt"]);
  const file = await SELF.fetch(link.href);
  expect(await file.text()).toBe("the plan");
  expect(file.headers.get("Content-Security-Policy")).toContain("sandbox");
});

test("what another session says to a visitor fails with the reason, since nobody would read it", async () => {
  await script("webchat-other", [{ text: "ok" }]);
  const sessionKey = "agent:main:hook:webchat-other";
  await finished((await say("Hi", "webchat-other", { sessionKey })).runId);
  await enqueueIn(sessionKey, { target: visitorTarget("vSomebody"), text: "psst" });
  const lost = async () => (await call("GET", `/v1/sessions/${sessionKey}/deliveries`)).text();
  await waitFor(async () => (await lost()).includes("own session"));
});
