import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { configure, kill, session } from "./session-lab.ts";

type Args = Record<string, unknown>;

/** Lets the model of a session use the tool, once for each `args`, and gives the results. */
async function use(name: string, ...calls: Args[]): Promise<string[]> {
  const { sessionKey } = session(name);
  const before = (await toolResults(sessionKey)).length;
  await script(name, [...calls.map((args) => ({ calls: [{ name: "gateway", args }] })), { text: "Done." }]);
  await finished((await say("x", name, { sessionKey })).runId);
  return (await toolResults(sessionKey)).slice(before);
}

async function toolResults(sessionKey: string): Promise<string[]> {
  const { messages } = await historyOf(sessionKey).catch(() => ({ messages: [] }));
  return (messages ?? []).flatMap(({ role, text }) => (role === "tool" ? [String(text)] : []));
}

async function revision(): Promise<number> {
  return (await (await call("GET", "/v1/config")).json<{ revision: number }>()).revision;
}

async function system(scenario: string): Promise<string> {
  return JSON.stringify((await asked(scenario))[0]?.body.messages[0]);
}

/** A database that does what it is told and never says so: what it stores, its caller does not learn of. */
function silentAfterWrites(database: D1Database): D1Database {
  return new Proxy(database, {
    get(target, name) {
      if (name === "batch") return (...given: Parameters<D1Database["batch"]>) => target.batch(...given).then(forever);
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

const forever = () => new Promise<never>(() => undefined);

test("the agent reads, looks up and changes a field, which holds from its next turn on", async () => {
  const base = await revision();
  const [read, field, changed] = await use(
    "gateway-change",
    { action: "config.get", path: "agents.defaults.userTimezone" },
    { action: "config.schema.lookup", path: "agents.defaults.userTimezone" },
    {
      action: "config.patch",
      raw: { agents: { defaults: { userTimezone: "Asia/Shanghai" } } },
      baseRevision: base,
      note: "Asked for.",
    },
  );
  expect(JSON.parse(read!)).toMatchObject({ revision: base, set: false });
  expect(JSON.parse(field!)).toMatchObject({ type: "string", agentMayWrite: true });
  expect(changed).toMatch(
    new RegExp(
      `^Revision ${base + 1} is stored, and holds from the next turn on. Changed: agents.defaults.userTimezone`,
    ),
  );
  expect(await system("gateway-change")).not.toContain("Asia/Shanghai");
  await use("gateway-change", { action: "restart" });
  expect(await system("gateway-change")).toContain("Asia/Shanghai");
  const history = await (await call("GET", "/v1/config/history?limit=1")).json<any>();
  expect(history.revisions[0]).toMatchObject({
    author: expect.stringMatching(/^gateway:main\//),
    note: "Asked for.",
    changed: ["agents.defaults.userTimezone"],
  });
  const line = await env.DB.prepare("select * from audit where kind = 'config' order by at desc limit 1").first<any>();
  expect(JSON.stringify(line)).toContain("gateway:main/");
  expect(JSON.stringify(line)).toContain(session("gateway-change").sessionKey);
});

test("the gateway tool is refused on each field that the agent may not write, and nothing is stored", async () => {
  const base = await revision();
  const { document } = await (await call("GET", "/v1/config")).json<any>();
  const { channels: _, ...withoutChannels } = document;
  const list = document.agents.list;
  const attempts: [object, string][] = [
    [{ tools: { exec: { ask: "off" } } }, "tools.exec.ask"],
    [{ tools: { exec: { security: "full" } } }, "tools.exec.security"],
    [{ tools: { bash: { security: "full" } } }, "tools.bash"],
    [{ agents: { list: [{ ...list[0], tools: { exec: { ask: "off" } } }, ...list.slice(1)] } }, "tools.exec.ask"],
    [{ agents: { list: [{ ...list[0], tools: { bash: { ask: "off" } } }, ...list.slice(1)] } }, "tools.bash"],
    [{ agents: { list: list.toReversed() } }, "agents.list"],
    [{ auth: { profiles: {} } }, "auth"],
    [{ commands: { ownerAllowFrom: null } }, "commands.ownerAllowFrom"],
    [{ channels: { telegram: { accounts: { default: { dmPolicy: "open" } } } } }, "dmPolicy"],
    [{ models: { providers: { fake: { baseUrl: "https://evil.test" } } } }, "models.providers.fake.baseUrl"],
    [{ tools: { loopDetection: { enabled: false } } }, "tools.loopDetection"],
    [{ agents: { defaults: { timeoutSeconds: 86_400 } } }, "agents.defaults.timeoutSeconds"],
    [{ prompt: { productName: "Obey" } }, "prompt"],
    [{ budgets: { global: { runsPerDay: 1 } } }, "budgets"],
    [{ hooks: { internal: { enabled: false } } }, "hooks"],
  ];
  const calls = attempts.map(([raw]) => ({ action: "config.patch", raw, baseRevision: base }));
  const whole = { action: "config.apply", raw: withoutChannels, baseRevision: base };
  const results = await use("gateway-protected", ...calls, whole);
  expect(results.length).toBe(attempts.length + 1);
  for (const [at, [, path]] of [...attempts, [{}, "channels"] as const].entries()) {
    expect(results[at]).toMatch(/^Nothing was changed: the agent may not write /);
    expect(results[at]).toContain(path);
  }
  expect(await revision()).toBe(base);
});

test("the gateway tool reports a base revision that is not current, and a value that is not valid", async () => {
  const base = await revision();
  const patch = { action: "config.patch", raw: { memory: { citations: "off" } } };
  const wrong = { action: "config.patch", raw: { memory: { citations: "of" } }, baseRevision: base };
  const [stale, invalid] = await use("gateway-stale", { ...patch, baseRevision: base + 7 }, wrong);
  expect(stale).toBe(
    `Nothing was changed: it is at revision ${base}, not ${base + 7}. Get it again and repeat the change.`,
  );
  expect(invalid).toContain("memory.citations: ");
  expect(await revision()).toBe(base);
});

test("a gateway call that is repeated after a crash makes one change", async () => {
  const { sessionKey } = session("gateway-crash");
  const base = await revision();
  const args = { action: "config.patch", raw: { messages: { ackReaction: "👀" } }, baseRevision: base };
  await script("gateway-crash", [{ calls: [{ name: "gateway", args }] }, { text: "Done." }]);
  await configure("gateway-crash", (config) => config, { DB: silentAfterWrites(env.DB) });
  const { runId } = await say("x", "gateway-crash", { sessionKey });
  await waitFor(async () => (await revision()) === base + 1);
  await kill("gateway-crash");
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  expect((await toolResults(sessionKey)).at(-1)).toContain(`Revision ${base + 1} is stored`);
  expect(await revision()).toBe(base + 1);
});

test("the agent cannot repair a damaged newest revision, because its protected fields cannot be compared", async () => {
  await use("gateway-damaged", {
    action: "config.patch",
    raw: { memory: { citations: "on" } },
    baseRevision: await revision(),
  });
  const base = (await revision()) + 1;
  const columns = "revision, document, author, note, changed, created_at";
  await env.DB.prepare(`insert into config_revisions (${columns}) values (?, '{', 'x', null, '[]', 0)`)
    .bind(base)
    .run();
  try {
    const [refused] = await use("gateway-damaged", { action: "config.apply", raw: { prompt: {} }, baseRevision: base });
    expect(refused).toMatch(/damaged, and no agent may mend it/);
    expect(await revision()).toBe(base);
  } finally {
    await env.DB.prepare("delete from config_revisions where revision = ?").bind(base).run();
  }
});

test("only the agent of an owner has the tool, and no sub-agent", async () => {
  const toolsOf = async (scenario: string) =>
    ((await asked(scenario))[0]?.body.tools ?? []).map((tool: any) => tool.function.name);
  await script("gateway-child", [{ text: "Done." }]);
  const spawn = { name: "sessions_spawn", args: { task: "Look.", model: "fake/gateway-child" } };
  await script("gateway-parent", [{ calls: [spawn] }, { text: "Waiting." }, { text: "Done." }]);
  await finished((await say("x", "gateway-parent", session("gateway-parent"))).runId);
  await waitFor(async () => (await asked("gateway-child")).length > 0);
  expect(await toolsOf("gateway-parent")).toContain("gateway");
  expect(await toolsOf("gateway-child")).toContain("read");
  expect(await toolsOf("gateway-child")).not.toContain("gateway");
  const preview = async (query: string) =>
    (await call("GET", `/v1/agents/main/prompt?channel=telegram&${query}`)).json<{
      tools: { name: string }[];
      text: string;
    }>();
  const [owner, stranger] = [await preview("sender=owner"), await preview("sender=other")];
  expect(owner.text).toContain("Self-Update");
  expect(stranger.text).not.toContain("gateway");
  expect(stranger.tools.map(({ name }) => name)).not.toContain("gateway");
});
