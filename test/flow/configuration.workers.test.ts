import { env, SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { asked, call, finished, say, script, waitFor } from "./client.ts";
import { session } from "./session-lab.ts";

interface View {
  revision: number;
  source: string;
  inForce: number | null;
  document: any;
  faults: { path: string; message: string }[];
  effective?: any;
}

async function view(query = ""): Promise<View> {
  return (await call("GET", `/v1/config${query}`)).json();
}

/** Changes the newest configuration by a merge patch. */
async function patch(change: object, query = "") {
  return call("PATCH", `/v1/config${query}`, change, { "If-Match": "*" });
}

async function errorOf(response: Response) {
  const { error } = await response.json<{ error: Record<string, any> }>();
  return { status: response.status, ...error } as { status: number } & Record<string, any>;
}

test("ISOPOD_CONFIG applies while nothing is stored, and the first change stores the whole document", async () => {
  const before = await view("?effective=true");
  expect(before).toMatchObject({ revision: 0, source: "environment", inForce: 0, faults: [] });
  expect(before.document.agents.defaults).not.toHaveProperty("timeoutSeconds");
  expect(before.effective.agents.defaults.timeoutSeconds).toBe(600);
  const changed = await patch({ agents: { defaults: { timeoutSeconds: 500 } } }, "?note=Shorter");
  expect(changed.status).toBe(200);
  expect(changed.headers.get("ETag")).toBe('"1"');
  expect(await changed.json()).toEqual({ revision: 1, changed: ["agents.defaults.timeoutSeconds"], stored: true });
  const after = await view();
  expect(after).toMatchObject({ revision: 1, source: "stored", inForce: 1 });
  expect(after.document).toEqual({
    ...before.document,
    agents: { ...before.document.agents, defaults: { ...before.document.agents.defaults, timeoutSeconds: 500 } },
  });
  expect(after).not.toHaveProperty("effective");
});

test("another model answers the next message of a session that is awake", async () => {
  await script("config-one", [{ text: "One." }]);
  await script("config-two", [{ text: "Two." }]);
  const ask = async () => {
    const accepted = await call("POST", "/v1/agent", { message: "hi", ...session("config-model") });
    return finished((await accepted.json<{ runId: string }>()).runId);
  };
  await patch({ agents: { defaults: { model: "fake/config-one" } } });
  expect(await ask()).toMatchObject({ reply: "One." });
  await patch({ agents: { defaults: { model: "fake/config-two" } } });
  expect(await ask()).toMatchObject({ reply: "Two." });
});

test("a turn keeps the configuration that it began with, and the next turn has the new one", async () => {
  const { sessionKey } = session("config-during");
  const { list } = (await view()).document.agents;
  const spawn = { name: "sessions_spawn", args: { task: "Look", agentId: "other" } };
  await script("config-during", [{ calls: [spawn], delayMs: 700 }, ...Array(5).fill({ text: "Done." })]);
  const { runId } = await say("x", "config-during", { sessionKey });
  await waitFor(async () => (await asked("config-during")).length === 1);
  await patch({ agents: { list: [{ id: "main" }] }, prompt: { productName: "Acorn" } });
  await finished(runId);
  const [, second] = await asked("config-during");
  expect(second?.body.messages.at(-1)).toMatchObject({ role: "tool", content: expect.stringContaining("accepted") });
  expect(JSON.stringify(second?.body)).toContain("running inside OpenClaw");
  await finished((await say("y", "config-during", { sessionKey })).runId);
  expect(JSON.stringify((await asked("config-during")).at(-1)?.body)).toContain("running inside Acorn");
  await patch({ agents: { list } });
});

test("a new queue mode applies to the next message, also while a run is active", async () => {
  const { sessionKey } = session("config-queue");
  await patch({ messages: { queue: { mode: "followup" } } });
  await script("config-queue", [{ text: "First.", delayMs: 1500 }, { text: "Second." }]);
  const first = await say("1", "config-queue", { sessionKey });
  await waitFor(async () => (await asked("config-queue")).length === 1);
  await patch({ messages: { queue: { mode: "interrupt" } } });
  const second = await say("2", "config-queue", { sessionKey });
  expect(await finished(first.runId)).toMatchObject({ status: "aborted" });
  expect(await finished(second.runId)).toMatchObject({ status: "ok" });
  await patch({ messages: null });
});

test("an agent that is added answers at once, and one that is taken away does not", async () => {
  const { list } = (await view()).document.agents;
  await script("config-agent", [{ text: "New here." }]);
  await patch({ agents: { list: [...list, { id: "newcomer", model: "fake/config-agent" }] } });
  const toNewcomer = { message: "hi", sessionKey: "agent:newcomer:main" };
  const accepted = await call("POST", "/v1/agent", toNewcomer);
  expect(await finished((await accepted.json<{ runId: string }>()).runId)).toMatchObject({ reply: "New here." });
  await patch({ agents: { list } });
  expect((await call("POST", "/v1/agent", toNewcomer)).status).toBe(404);
});

test("an account of a channel that is added takes messages at once", async () => {
  const webhook = () =>
    call(
      "POST",
      "/channels/telegram/fresh/webhook",
      { update_id: 1 },
      { "X-Telegram-Bot-Api-Secret-Token": "flow-webhook-secret" },
    );
  expect((await webhook()).status).toBe(404);
  await patch({
    channels: { telegram: { accounts: { fresh: { apiBase: env.TEST_BOT_API, username: "isopod_bot" } } } },
  });
  expect((await webhook()).status).toBe(200);
});

test("a configuration with a wrong type is refused with the path of the field, and the previous one stays in force", async () => {
  const before = await view();
  const refused = await errorOf(await patch({ agents: { defaults: { timeoutSeconds: "long", model: 7 }, lst: [] } }));
  expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
  expect(refused.faults.map(({ path }: { path: string }) => path).sort()).toEqual([
    "agents.defaults.model",
    "agents.defaults.timeoutSeconds",
    "agents.lst",
  ]);
  expect(await view()).toEqual(before);
  const unreadable = await errorOf(await call("PUT", "/v1/config", "{agents: ", { "If-Match": "*" }));
  expect(unreadable).toMatchObject({ status: 400, message: expect.stringContaining("not JSON5") });
  const deep = await errorOf(await call("PUT", "/v1/config", "[".repeat(90_000), { "If-Match": "*" }));
  expect(deep.status).toBe(400);
  const whole = await errorOf(
    await call("PUT", "/v1/config", "[".repeat(50_000) + "]".repeat(50_000), { "If-Match": "*" }),
  );
  expect(whole.message).toContain("nested deeper");
  const list = await errorOf(await call("PUT", "/v1/config", "[]", { "If-Match": "*" }));
  expect(list).toMatchObject({ status: 400, faults: [{ path: "(document)" }] });
});

test("a secret's value in a configuration is refused with how to store it, and the answer does not repeat it", async () => {
  const value = "sk-very-secret-value-1234567890";
  const response = await patch({ models: { providers: { fake: { apiKey: value } } } });
  const text = await response.text();
  expect(response.status).toBe(400);
  expect(text).toContain("models.providers.fake.apiKey");
  expect(text).toContain("wrangler secret put");
  expect(text).not.toContain(value);
  const { results } = await env.DB.prepare("select * from audit").all();
  expect(JSON.stringify(results)).not.toContain(value);
});

test("texts that may be secret are hidden from who reads, and stay when what was read is sent back", async () => {
  const headers = { "X-Key": "plain-header-value" };
  await patch({ models: { providers: { fake: { headers } } } });
  for (const path of ["/v1/config?effective=true", `/v1/config/history/${(await view()).revision}`]) {
    const text = await (await call("GET", path)).text();
    expect(text).toContain("[redacted]");
    expect(text).not.toContain("plain-header-value");
  }
  const { document } = await view();
  const back = await call(
    "PUT",
    "/v1/config",
    { ...document, prompt: { productName: "Sent back" } },
    { "If-Match": "*" },
  );
  expect((await back.json<{ changed: string[] }>()).changed).toEqual(["prompt.productName"]);
  const stored = await env.DB.prepare("select document from config_revisions order by revision desc limit 1").first();
  expect(String(stored?.document)).toContain("plain-header-value");
  const nothing = { models: { providers: { fake: { headers: { "X-Other": "[redacted]" } } } } };
  expect(await errorOf(await patch(nothing))).toMatchObject({
    status: 400,
    message: expect.stringContaining("X-Other"),
  });
});

test("the history names the browser or the token that made a change", async () => {
  const json = { "Content-Type": "application/json" };
  const login = await SELF.fetch("https://isopod.test/v1/login", {
    method: "POST",
    headers: json,
    body: '{"token":"test-token"}',
  });
  const Cookie = login.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  const headers = { ...json, Cookie, "If-Match": "*", Origin: "https://isopod.test" };
  const body = JSON.stringify({ prompt: { productName: "From the page" } });
  expect((await SELF.fetch("https://isopod.test/v1/config", { method: "PATCH", headers, body })).status).toBe(200);
  const { revisions } = await (await call("GET", "/v1/config/history?limit=1")).json<any>();
  expect(revisions[0].author).toBe("api:page");
  const elsewhere = { ...headers, Origin: "https://evil.test" };
  expect(
    (await SELF.fetch("https://isopod.test/v1/config", { method: "PATCH", headers: elsewhere, body })).status,
  ).toBe(403);
});

test("a change says which revision it was made from: 428 without, 412 where somebody was faster", async () => {
  const { revision } = await view();
  const put = (headers: Record<string, string>) =>
    call("PATCH", "/v1/config", { prompt: { productName: "Elm" } }, headers);
  expect(await errorOf(await put({}))).toMatchObject({ status: 428, code: "precondition_required" });
  const stale = await put({ "If-Match": `"${revision - 1}"` });
  expect(stale.headers.get("ETag")).toBe(`"${revision}"`);
  expect(await errorOf(stale)).toMatchObject({
    status: 412,
    code: "precondition_failed",
    currentRevision: revision,
  });
  const weak = await put({ "If-Match": `W/"${revision}"` });
  expect(weak.status).toBe(200);
});

test("of ten concurrent changes of one revision one succeeds, and the others are told the current revision", async () => {
  const { revision } = await view();
  const writers = Array.from({ length: 10 }, (_, n) =>
    call("PATCH", "/v1/config", { prompt: { productName: `Writer ${n}` } }, { "If-Match": `"${revision}"` }),
  );
  const answers = await Promise.all(writers);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
  expect((await view()).revision).toBe(revision + 1);
  const winner = answers.findIndex(({ status }) => status === 200);
  expect((await view()).document.prompt.productName).toBe(`Writer ${winner}`);
});

test("changes with If-Match: * are applied one after the other", async () => {
  const { revision } = await view();
  const names = ["one", "two", "three"];
  const writers = names.map((name) =>
    patch({ agents: { defaults: { models: { [`fake/${name}`]: { alias: name } } } } }),
  );
  expect((await Promise.all(writers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  const after = await view();
  expect(after.revision).toBe(revision + 3);
  expect(Object.keys(after.document.agents.defaults.models)).toEqual(
    expect.arrayContaining(names.map((n) => `fake/${n}`)),
  );
});

test("a dry run says what would change and stores nothing; the same again is no new revision", async () => {
  const { revision, document } = await view();
  const dry = await patch({ prompt: { productName: "Dry" } }, "?dryRun=true");
  expect(await dry.json()).toEqual({ revision, changed: ["prompt.productName"], stored: false });
  const same = await call("PUT", "/v1/config", document, { "If-Match": `"${revision}"` });
  expect(await same.json()).toEqual({ revision, changed: [], stored: false });
  expect((await patch({ prompt: { productName: 1 } }, "?dryRun=true")).status).toBe(400);
  expect((await view()).revision).toBe(revision);
});

test("the body may be JSON5, with comments and without quotes", async () => {
  const { document } = await view();
  const text = `// Mine.\n{...}`.replace("{...}", JSON.stringify(document).replace('"prompt":', "prompt: /* why */"));
  const put = await call("PUT", "/v1/config", text, { "If-Match": "*" });
  expect([put.status, await put.json()]).toMatchObject([200, { changed: [] }]);
});

test("an empty body is not a configuration", async () => {
  const empty = { method: "PUT", headers: { Authorization: "Bearer test-token", "If-Match": "*" } };
  const response = await SELF.fetch("https://isopod.test/v1/config", empty);
  expect(await errorOf(response)).toMatchObject({ status: 400, message: "The body is empty." });
});

test("the history tells who changed what, and an earlier revision is gone back to as a new one", async () => {
  const { revision, document } = await view();
  await patch({ prompt: { productName: "Mistake" } }, "?note=Oops");
  const page = await (await call("GET", "/v1/config/history?limit=1")).json<any>();
  expect(page).toEqual({
    revisions: [
      {
        revision: revision + 1,
        author: "api:token",
        note: "Oops",
        changed: ["prompt.productName"],
        createdAt: expect.any(Number),
      },
    ],
    before: revision + 1,
  });
  const next = await (await call("GET", `/v1/config/history?limit=200&before=${page.before}`)).json<any>();
  expect(next.revisions[0].revision).toBe(revision);
  const one = await (await call("GET", `/v1/config/history/${revision}`)).json<any>();
  expect(one).toMatchObject({ revision, document });
  const headers = { "If-Match": `"${revision + 1}"` };
  const back = await call("POST", "/v1/config/rollback", { revision }, headers);
  expect(await back.json()).toEqual({ revision: revision + 2, changed: ["prompt.productName"], stored: true });
  expect((await view()).document).toEqual(document);
  expect((await call("POST", "/v1/config/rollback", { revision }, headers)).status).toBe(412);
  expect((await call("POST", "/v1/config/rollback", { revision: 99_999 }, { "If-Match": "*" })).status).toBe(404);
  expect((await call("GET", "/v1/config/history/99999")).status).toBe(404);
  expect((await call("POST", "/v1/config/rollback", { revision: 0 }, { "If-Match": "*" })).status).toBe(200);
  expect((await view()).document).toEqual(JSON.parse(env.ISOPOD_CONFIG ?? ""));
});

test("every change is a line of the audit trail, with paths and without values", async () => {
  const { revision } = await view();
  await patch({ prompt: { productName: "Audited" } });
  const { entries } = await (await call("GET", "/v1/audit?kind=config&limit=1")).json<any>();
  expect(entries).toMatchObject([
    {
      kind: "config",
      by: "api:token",
      agentId: "main",
      subject: `revision ${revision} to ${revision + 1}`,
      detail: "prompt.productName",
    },
  ]);
  expect(JSON.stringify(entries)).not.toContain("Audited");
});

test("a configuration that is too large, or sent without the token, is refused", async () => {
  const large = JSON.stringify({ prompt: { productName: "x".repeat(1_100_000) } });
  expect((await call("PUT", "/v1/config", large, { "If-Match": "*" })).status).toBe(413);
  expect((await call("PUT", "/v1/config", {}, { "If-Match": "*", Authorization: "Bearer no" })).status).toBe(401);
  expect((await call("GET", "/v1/config", undefined, { Authorization: "Bearer no" })).status).toBe(401);
});
