import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import type { Check } from "../../src/diagnostics/check.ts";
import { createApp } from "../../src/http/app.ts";
import { listServer } from "../../src/mcp/list-server.ts";
import type { McpDeps } from "../../src/mcp/mcp-deps.ts";
import { openStreamingEgress } from "../../src/security/safe-fetch.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";
import { knownConfiguration } from "../../src/services/current-config.ts";
import { at, heard, serve } from "../security/outside-lab.ts";
import { call } from "./client.ts";
import { channelSecrets } from "./config.ts";
import { mcpAt, serveMcp, withServers } from "./mcp-lab.ts";
import { deleteOutside, putOutside } from "./outside.ts";

const ORIGIN = "https://isopod.test";
const TOKEN = "a-token-of-many-different-characters-0123456789";

/** What the doctor says of a deployment with these variables in place of the usual ones. */
async function diagnosis(variables: object = {}, origin = ORIGIN) {
  const context = createExecutionContext();
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const bindings = { ...env, ISOPOD_TOKEN: TOKEN, ...variables };
  const response = await createApp().request(`${origin}/v1/doctor`, { headers }, bindings, context);
  await waitOnExecutionContext(context);
  expect(response.status).toBe(200);
  return response.json<{ ok: boolean; checks: Check[] }>();
}

/** A deployment of which nothing was said yet but its token. Workers AI does not answer here. */
const BARE = {
  ISOPOD_CONFIG: undefined,
  TELEGRAM_BOT_TOKEN: undefined,
  TELEGRAM_WEBHOOK_SECRET: undefined,
  ...Object.fromEntries(Object.keys(channelSecrets).map((name) => [name, undefined])),
  AI: undefined,
};

/** A deployment with a configuration and no secrets. */
function configured(config: object, more: object = {}) {
  return diagnosis({ ...BARE, ISOPOD_CONFIG: JSON.stringify(config), ...more });
}

/** The checks that are not well, by id. */
function problems({ checks }: { checks: Check[] }): Record<string, Check> {
  return Object.fromEntries(checks.filter(({ status }) => status !== "ok").map((check) => [check.id, check]));
}

/** Says what the Bot API tells of a bot's webhook, and what it answers next. */
async function botSays(token: string, state: object) {
  await fetch(`${env.TEST_BOT_API}/control/${token}`, { method: "PUT", body: JSON.stringify(state) });
}

beforeEach(async () => {
  await env.DB.prepare("delete from config_revisions").run();
  await knownConfiguration(env.DB).refresh();
});

describe("a healthy deployment", () => {
  test("a deployment with only a token passes the doctor with two warnings", async () => {
    const found = await diagnosis(BARE);
    expect(found.ok).toBe(true);
    expect(Object.keys(problems(found)).sort()).toEqual(["models.main", "owners.known"]);
    expect(found.checks).toContainEqual(expect.objectContaining({ id: "database.migrations", status: "ok" }));
    expect(found.checks).toContainEqual(expect.objectContaining({ id: "channels.unused", status: "ok" }));
  });

  test("an owner of an account that is not there is named, where accounts have ids of their own", async () => {
    const found = async (owner: string) => {
      const accounts = { shop: { replyUrl: "https://shop.example.com/replies" } };
      const { checks } = await configured({
        channels: { webhook: { accounts } },
        commands: { ownerAllowFrom: [owner] },
      });
      return checks.find(({ id }) => id === `owners.${owner}`);
    };
    expect(await found("webhook:shop/ada")).toBeUndefined();
    expect(await found("webhook:ada")).toMatchObject({ status: "warn", fix: expect.stringContaining("shop") });
  });

  test("every warning and failure has a fix, and check ids are unique", async () => {
    const { checks } = await configured({
      agents: { list: [{ id: "a", model: "no/model" }], defaults: { sandbox: { mode: "all" } } },
    });
    for (const check of checks) {
      if (check.status !== "ok") expect(check.fix).toMatch(/\S\.?$/);
    }
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  });

  test("the doctor needs the access token", async () => {
    expect((await createApp().request(`${ORIGIN}/v1/doctor`, {}, env)).status).toBe(401);
    expect((await call("GET", "/v1/doctor?verbose=1")).status).toBe(400);
    expect((await call("GET", "/v1/doctor")).status).toBe(200);
  });
});

describe("search", () => {
  const about = async (config: object, variables: object) => {
    const { checks } = await configured(config, variables);
    return checks.find(({ id }) => id === "search.service");
  };

  test("the service that searches is named, with the variable of its key and not its value", async () => {
    const found = await about({}, { TAVILY_API_KEY: "tvly-secret", SEARXNG_URL: "https://searx.example.org" });
    expect(found).toMatchObject({ status: "ok", area: "search" });
    expect(found?.message).toBe("Tavily searches the web (https://api.tavily.com), with TAVILY_API_KEY.");
  });

  test("a service without its key fails, no service at all is fine and says which variables there are", async () => {
    const chosen = { tools: { web: { search: { provider: "exa" } } } };
    expect(await about(chosen, {})).toMatchObject({
      status: "fail",
      path: "tools.web.search",
      message: "Exa is chosen to search the web, and EXA_API_KEY is not set. There is no web_search.",
      fix: "Set EXA_API_KEY (https://dashboard.exa.ai/api-keys).",
    });
    expect(await about({}, {})).toMatchObject({ status: "ok", message: expect.stringContaining("BRAVE_API_KEY") });
  });
});

describe("configuration", () => {
  test("an invalid configuration fails with the path of each wrong field, and the other areas are checked", async () => {
    const found = await configured({ agents: { defaults: { timeoutSeconds: "long" } }, frob: 1 });
    expect(found.ok).toBe(false);
    const wrong = problems(found);
    expect(wrong["configuration.valid"]).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("ISOPOD_CONFIG"),
    });
    expect(wrong["configuration.fault.agents.defaults.timeoutSeconds"]).toMatchObject({
      path: "agents.defaults.timeoutSeconds",
    });
    expect(wrong["configuration.fault.frob"]).toBeDefined();
    expect(found.checks).toContainEqual(expect.objectContaining({ id: "database.migrations", status: "ok" }));
  });

  test("configured fields without effect are warnings", async () => {
    const found = await configured({ agents: { defaults: { sandbox: { mode: "all" } } } });
    expect(problems(found)["configuration.idle.agents.defaults.sandbox.mode"]).toMatchObject({ status: "warn" });
    expect(found.ok).toBe(true);
  });

  describe("a stored configuration", () => {
    test("overrides ISOPOD_CONFIG, which is a warning", async () => {
      await call("PUT", "/v1/config", { prompt: { productName: "Acorn" } }, { "If-Match": "*" });
      const wrong = problems(await configured({ prompt: { productName: "Oak" } }));
      expect(wrong["configuration.variable"]).toMatchObject({ status: "warn", path: "ISOPOD_CONFIG" });
    });

    test("that is no longer valid fails and names the revision in force", async () => {
      await call("PUT", "/v1/config", { prompt: { productName: "Acorn" } }, { "If-Match": "*" });
      await env.DB.prepare(
        "insert into config_revisions select revision + 1, '{\"frob\": 1}', author, note, changed, created_at from config_revisions",
      ).run();
      await knownConfiguration(env.DB).refresh();
      const found = await diagnosis(BARE);
      expect(problems(found)["configuration.valid"]).toMatchObject({
        status: "fail",
        message: "Revision 2 is not valid any more; revision 1 is in force.",
        fix: expect.stringContaining("rollback"),
      });
    });
  });
});

describe("secrets", () => {
  test("a configured secret that is not set fails, by its name", async () => {
    const provider = {
      baseUrl: "https://p.test/v1",
      api: "openai-completions",
      apiKey: { source: "env", id: "P_KEY" },
    };
    const config = { models: { providers: { p: provider } }, agents: { defaults: { model: "p/m" } } };
    const found = await configured(config);
    expect(problems(found)["secrets.P_KEY"]).toMatchObject({
      status: "fail",
      path: "models.providers.p.apiKey",
      fix: expect.stringContaining("wrangler secret put P_KEY"),
    });
    expect(problems(found)["models.main"]).toMatchObject({
      status: "fail",
      message: expect.stringContaining("no key"),
    });
    const mended = await configured(config, { P_KEY: "hunter2" });
    expect(mended.ok).toBe(true);
    expect(JSON.stringify(mended)).not.toContain("hunter2");
  });

  test("a provider that is asked without a key is a warning, and so is one's own server whose key is not set", async () => {
    const usual = await configured({
      models: { providers: { anthropic: { baseUrl: "https://proxy.test" } } },
      agents: { defaults: { model: "anthropic/claude-x" } },
    });
    expect(problems(usual)["models.main"]).toMatchObject({
      status: "warn",
      message: expect.stringContaining("no key is sent to https://proxy.test: ANTHROPIC_API_KEY is not set"),
      fix: expect.stringContaining("Set ANTHROPIC_API_KEY"),
    });
    const apiKey = { source: "env", id: "LAB_KEY" };
    const own = { baseUrl: "http://127.0.0.1:1234/v1", api: "openai-completions", apiKey };
    const named = await configured({
      models: { providers: { lab: own } },
      agents: { defaults: { model: "lab/m" } },
    });
    expect(problems(named)["models.main"]).toMatchObject({ status: "warn" });
    expect(problems(named)["secrets.LAB_KEY"]).toMatchObject({ status: "warn" });
    const { apiKey: _, ...bare } = own;
    const unnamed = await configured({
      models: { providers: { lab: bare } },
      agents: { defaults: { model: "lab/m" } },
    });
    expect(problems(unnamed)["models.main"]).toBeUndefined();
  });

  test("a short access token is a warning", async () => {
    const headers = { Authorization: "Bearer test-token" };
    const short = await createApp().request(`${ORIGIN}/v1/doctor`, { headers }, env, createExecutionContext());
    expect(problems(await short.json())["secrets.ISOPOD_TOKEN"]).toMatchObject({ status: "warn" });
  });
});

describe("bindings and the database", () => {
  test("a missing binding fails and says what does not work", async () => {
    const found = await diagnosis({ ...BARE, UPKEEP: undefined, VECTORS: undefined });
    expect(problems(found)["bindings.UPKEEP"]).toMatchObject({ status: "fail", path: "wrangler.toml" });
    expect(found.checks).toContainEqual(expect.objectContaining({ id: "bindings.VECTORS", status: "ok" }));
  });

  test("every queue of wrangler.toml to which something is sent is looked at", async () => {
    const queues = Object.entries(env).flatMap(([name, one]) =>
      one?.constructor?.name === "WorkerQueue" ? [name] : [],
    );
    const { checks } = await diagnosis();
    expect(checks.map(({ id }) => id)).toEqual(expect.arrayContaining(queues.map((name) => `bindings.${name}`)));
    expect(queues).toContain("SCHEDULE");
  });

  test("an unapplied migration fails and says how to apply it", async () => {
    const { results } = await env.DB.prepare("select * from d1_migrations order by id desc limit 1").all<
      Record<string, unknown>
    >();
    const last = results[0]!;
    await env.DB.prepare("delete from d1_migrations where id = ?").bind(last.id).run();
    const found = await diagnosis(BARE);
    await env.DB.prepare("insert into d1_migrations (id, name) values (?, ?)").bind(last.id, last.name).run();
    expect(problems(found)["database.migrations"]).toMatchObject({
      status: "fail",
      message: `The database DB lacks ${last.name}.`,
      fix: expect.stringContaining("wrangler d1 migrations apply"),
    });
    expect((await diagnosis(BARE)).ok).toBe(true);
  });

  test("the migrations of the memory database are checked too", async () => {
    const { results } = await env.MEMORY.prepare("select * from d1_migrations").all<Record<string, unknown>>();
    const last = results.at(-1)!;
    await env.MEMORY.prepare("delete from d1_migrations where id = ?").bind(last.id).run();
    const found = await diagnosis(BARE);
    await env.MEMORY.prepare("insert into d1_migrations (id, name) values (?, ?)").bind(last.id, last.name).run();
    expect(problems(found)["database.memory-migrations"]).toMatchObject({
      status: "fail",
      message: `The database MEMORY lacks ${last.name}.`,
      fix: expect.stringContaining("migrations apply MEMORY"),
    });
    expect(problems(await diagnosis({ ...BARE, MEMORY: undefined }))["bindings.MEMORY"]).toMatchObject({
      status: "fail",
    });
  });

  test("the doctor answers without the database, and the check of the binding fails", async () => {
    const wrong = problems(await diagnosis({ ...BARE, DB: undefined }));
    expect(wrong["bindings.DB"]).toMatchObject({ status: "fail" });
    expect(wrong["configuration.valid"]).toMatchObject({ status: "fail" });
  });

  test("a bucket that does not answer fails alone, and the other areas are checked", async () => {
    const FILES = { list: () => Promise.reject(new Error("the bucket is on fire")) };
    const found = await diagnosis({ ...BARE, FILES });
    expect(problems(found)["bindings.failed"]).toMatchObject({
      status: "fail",
      message: expect.stringContaining("on fire"),
    });
    expect(found.checks).toContainEqual(expect.objectContaining({ id: "database.migrations", status: "ok" }));
  });
});

describe("models and agents", () => {
  test("an unusable model fails as an agent's primary model and is a warning elsewhere", async () => {
    const found = await configured({
      agents: {
        defaults: {
          model: { primary: "nowhere/model", fallbacks: ["offline/rules", "gone/model"] },
          models: { "lost/model": { alias: "lost" } },
        },
      },
    });
    const wrong = problems(found);
    expect(wrong["models.main"]).toMatchObject({ status: "fail", message: expect.stringContaining("nowhere") });
    expect(wrong["models.main.gone/model"]).toMatchObject({ status: "warn" });
    expect(wrong["models.named.lost/model"]).toMatchObject({
      status: "warn",
      message: expect.stringContaining("'lost'"),
    });
    expect(wrong["models.main.offline/rules"]).toBeUndefined();
  });

  test("where money is capped a model without a price fails", async () => {
    const provider = {
      baseUrl: "https://p.test/v1",
      api: "openai-completions",
      models: [{ id: "priced", cost: { input: 1 } }],
    };
    const config = (model: string) => ({
      models: { providers: { p: provider } },
      agents: { defaults: { model } },
      budgets: { global: { usdPerDay: 5 } },
    });
    expect(problems(await configured(config("p/free")))["models.price.p/free"]).toMatchObject({ status: "fail" });
    expect((await configured(config("p/priced"))).ok).toBe(true);
  });

  test("a kind of input that a wire format does not carry is told", async () => {
    const provider = (api: string) => ({
      baseUrl: "https://p.test/v1",
      api,
      models: [{ id: "ear", input: ["text", "pdf", "audio"] }],
    });
    const providers = { chat: provider("openai-completions"), other: provider("openai-responses") };
    const wrong = problems(await configured({ models: { providers } }));
    expect(wrong["models.input.other/ear"]).toMatchObject({
      status: "warn",
      message: "other/ear is said to take audio, which its wire format does not carry.",
    });
    expect(wrong["models.input.chat/ear"]).toBeUndefined();
  });

  test("models of media are told, with what they lack and where their price is not known", async () => {
    const found = await configured(
      {
        tools: { media: { audio: { models: [{ provider: "groq" }] } } },
        messages: { tts: { provider: "openai" } },
        agents: { defaults: { imageGenerationModel: "openai/gpt-image-9", imageModel: "gone/eye" } },
        budgets: { global: { usdPerDay: 5 } },
      },
      { OPENAI_API_KEY: "sk-1" },
    );
    const checks = found.checks.filter(({ id }) => /^media\.|gone/.test(id));
    expect(checks.map(({ status, message }) => `${status} ${message}`)).toEqual([
      expect.stringMatching(/^warn Pictures are looked at by gone\/eye, but the model provider 'gone'/),
      expect.stringMatching(
        /^warn A model that transcribes recordings is left out: .* 'groq' has no key .*Set GROQ_API_KEY/,
      ),
      "ok openai/gpt-4o-mini-tts reads aloud.",
      "warn Money is capped, and openai/gpt-image-9 has no price, so it is not used.",
    ]);
  });

  test("where nothing is named for media the doctor says so, and how to have it", async () => {
    const found = await configured({ tools: { media: { audio: { enabled: false } } } });
    const checks = found.checks.filter(({ id }) => id.startsWith("media."));
    expect(checks.map(({ status, message }) => `${status} ${message}`)).toEqual([
      expect.stringMatching(/^ok There is no transcribe: .*tools\.media\.audio\.enabled/),
      expect.stringMatching(/^ok There is no tts: .*messages\.tts\.provider/),
      expect.stringMatching(/^ok There is no image_generate: .*agents\.defaults\.imageGenerationModel/),
    ]);
  });

  test("a policy that gives a tool which Isopod does not have is a warning with the reason", async () => {
    const found = await configured({
      tools: { allow: ["*"], deny: ["nodes"], others: { allow: ["group:openclaw", "group:ui"] } },
      agents: { list: [{ id: "main", tools: { allow: ["read", "nodes"] } }] },
    });
    const checks = found.checks.filter(({ id }) => id.startsWith("agents.tool."));
    expect(checks.map(({ status, message }) => `${status} ${message}`)).toEqual([
      expect.stringMatching(/^warn tools\.others\.allow names 'canvas', .*no app/),
      expect.stringMatching(/^warn agents\.list\[0\]\.tools\.allow names 'nodes', .*no devices/),
    ]);
  });

  test("configured names of unknown agents and accounts are warnings", async () => {
    const found = await configured({
      bindings: [{ agentId: "main", match: { channel: "telegram", accountId: "work" } }],
      agents: { defaults: { subagents: { allowAgents: ["*", "ghost"] } } },
    });
    expect(Object.keys(problems(found)).filter((id) => id.startsWith("agents."))).toEqual([
      "agents.absent.agents.defaults.subagents.allowAgents.ghost",
      "agents.route.0",
    ]);
  });
});

describe("Telegram", () => {
  const HOOK = `${ORIGIN}/channels/telegram/default/webhook`;

  function withBot(token: string, account: object = {}) {
    const channels = { telegram: { accounts: { default: { apiBase: env.TEST_BOT_API, ...account } } } };
    return configured({ channels }, { TELEGRAM_BOT_TOKEN: token, TELEGRAM_WEBHOOK_SECRET: "s" });
  }

  function telegramOf(found: { checks: Check[] }): string[] {
    const checks = found.checks.filter(({ id }) => id.startsWith("channels.telegram."));
    return checks.map(({ status, message }) => `${status} ${message}`);
  }

  test("a bot whose webhook points here passes", async () => {
    await botSays("8100000001:well", { webhook: { url: HOOK } });
    expect(telegramOf(await withBot("8100000001:well"))).toEqual([
      "ok telegram/default: the bot is @isopod_8100000001_bot.",
      "ok telegram/default: Telegram calls this Worker.",
    ]);
  });

  test("a bot without a webhook fails with a fix that does not contain the token", async () => {
    const found = await withBot("8100000002:none");
    const wrong = Object.values(problems(found)).find(({ area }) => area === "channels");
    expect(wrong).toMatchObject({ status: "fail", message: expect.stringContaining("no webhook is set") });
    expect(wrong).toHaveProperty("fix", expect.stringContaining(`-d url=${HOOK}`));
    expect(JSON.stringify(found)).not.toContain("8100000002:none");
  });

  test("a webhook at another address fails, and at the same path of another host is a warning", async () => {
    await botSays("8100000003:else", { webhook: { url: "https://old.test/telegram" } });
    expect(telegramOf(await withBot("8100000003:else"))[1]).toMatch(/^fail .*another address/);
    await botSays("8100000003:else", { webhook: { url: HOOK.replace("isopod.test", "other.test") } });
    expect(telegramOf(await withBot("8100000003:else"))[1]).toMatch(/^warn .*another host, other\.test/);
  });

  test("a webhook secret that differs fails with Telegram's own error", async () => {
    const last = {
      last_error_date: Math.floor(Date.now() / 1000),
      last_error_message: "Wrong response from the webhook: 401 Unauthorized",
    };
    await botSays("8100000004:fail", { webhook: { url: HOOK, pending_update_count: 3, ...last } });
    const found = await withBot("8100000004:fail");
    expect(telegramOf(found)).toContainEqual(expect.stringMatching(/^fail .*401 Unauthorized/));
    expect(Object.values(problems(found)).map((check) => "fix" in check && check.fix)).toContainEqual(
      expect.stringMatching(/secret differs.*TELEGRAM_WEBHOOK_SECRET/),
    );
  });

  test("a bot token that Telegram rejects fails, and an unreachable Telegram is a warning", async () => {
    const body = { ok: false, error_code: 401, description: "Unauthorized" };
    await botSays("8100000005:gone", { answers: [{ method: "getMe", status: 401, body }] });
    expect(telegramOf(await withBot("8100000005:gone"))).toEqual([
      "fail telegram/default: Telegram does not know the bot of TELEGRAM_BOT_TOKEN.",
    ]);
    await botSays("8100000006:cut", { answers: [{ method: "getMe", cut: "before" }] });
    expect(telegramOf(await withBot("8100000006:cut"))).toEqual([expect.stringMatching(/^warn .*does not answer/)]);
  });

  test("a configured account without its secrets fails, by their names", async () => {
    const found = await configured({ channels: { telegram: { accounts: { default: {} } } } });
    expect(telegramOf(found)).toEqual([
      "fail telegram/default: it has no token: TELEGRAM_BOT_TOKEN is not set.",
      "fail telegram/default: every message is refused, because TELEGRAM_WEBHOOK_SECRET is not set.",
    ]);
  });

  test("a bot that is open to everybody, or whose settings contradict its configuration, is a warning", async () => {
    await botSays("8100000007:open", { webhook: { url: HOOK } });
    const found = telegramOf(
      await withBot("8100000007:open", { dmPolicy: "open", requireMention: false, username: "someone" }),
    );
    expect(found).toContainEqual(expect.stringMatching(/^warn .*everyone/));
    expect(found).toContainEqual(expect.stringMatching(/^warn .*every group message/));
    expect(found).toContainEqual(expect.stringMatching(/^warn .*configured as @someone/));
  });
});

describe("workspaces", () => {
  const at = (path: string) => `agents/main/workspace/${path}`;

  test("files that the prompt cuts or leaves out, and an unreadable state file, are warnings", async () => {
    await call("GET", "/v1/agents/main/workspace");
    await putOutside(at("AGENTS.md"), new Uint8Array([0, 1, 2, 3, 255, 254, 0, 0]));
    await putOutside(at("SOUL.md"), "x".repeat(30_000));
    await deleteOutside(at("TOOLS.md"));
    await putOutside(at(".openclaw/workspace-state.json"), "{nope");
    await putOutside(at("a//b.md"), "lost");
    await putOutside(at("../../other/workspace/x.md"), "lost, too");
    const said = Object.values(problems(await diagnosis(BARE))).filter(({ area }) => area === "workspaces");
    const messages = said.map(({ path, message }) => `${path}: ${message}`);
    for (const expected of [
      /^AGENTS\.md: /,
      /^SOUL\.md: .*30000 characters/,
      /^TOOLS\.md: .*is missing/,
      /workspace-state/,
      /a\/\/b\.md.* It has an empty segment/,
      /\.\.\/\.\.\/other\/workspace\/x\.md.* it cannot be opened/,
    ]) {
      expect(messages).toContainEqual(expect.stringMatching(expected));
    }
    expect(said.every(({ status }) => status === "warn")).toBe(true);
  });
});

describe("workspaces of several agents", () => {
  test("agents that share a workspace are a warning with their ids", async () => {
    const list = [{ id: "ada", workspace: "team" }, { id: "bob", workspace: "./team/" }, { id: "eve" }];
    const found = problems(await configured({ agents: { list } }));
    expect(found["workspaces.shared.team/"]).toMatchObject({
      status: "warn",
      message: "ada, bob share the workspace team/: each reads and changes the files of the others.",
    });
    expect(Object.keys(found).filter((id) => id.startsWith("workspaces.shared"))).toHaveLength(1);
  });
});

describe("owners, budgets and the backlog", () => {
  test("an owner of an unknown channel is a warning", async () => {
    const found = problems(await configured({ commands: { ownerAllowFrom: ["pigeon:1", "telegram:2"] } }));
    expect(found["owners.pigeon:1"]).toMatchObject({ status: "warn", fix: expect.stringContaining("telegram") });
    expect(found["owners.known"]).toBeUndefined();
  });

  test("sessions that live elsewhere than new ones would are a warning", async () => {
    const row = env.DB.prepare(
      "insert into sessions values (?, 'main', 's', 1, 1, 'run_1', 'ok', null, ?, null, null)",
    );
    await env.DB.batch([
      row.bind("agent:main:telegram:direct:1", "caller"),
      row.bind("agent:main:telegram:direct:2", "weur"),
      row.bind("agent:main:main", null),
    ]);
    const session = { locationByChannel: { telegram: "weur" } };
    const { "sessions.locations": check } = problems(await configured({ session }));
    expect(check).toMatchObject({ status: "warn", fix: expect.stringContaining("/move") });
    expect(check!.message).toContain("1 of the latest 3");
    expect(check!.message).toContain("agent:main:telegram:direct:1 (caller, not weur)");
    expect(problems(await configured({}))["sessions.locations"]!.message).toContain("telegram:direct:2");
    await env.DB.prepare("delete from sessions").run();
    const inEu = await configured({ session: { location: "eu" } }, { ISOPOD_HOST: "workerd" });
    expect(problems(inEu)["sessions.locations"]).toBeUndefined();
    await row.bind("agent:main:main", "eu").run();
    const here = await configured({ session: { location: "eu" } }, { ISOPOD_HOST: "workerd" });
    expect(problems(here)["sessions.locations"]!.message).toContain("on this machine");
    // A look begins no session, and sends none elsewhere.
    expect((await call("GET", "/v1/sessions/agent%3Amain%3Amain/history")).status).not.toBe(503);
    await env.DB.prepare("delete from sessions").run();
  });

  test("a used-up budget is a warning", async () => {
    const found = await configured({ budgets: { global: { runsPerHour: 0 } } });
    expect(Object.values(problems(found))).toContainEqual(
      expect.objectContaining({ area: "budgets", status: "warn", message: expect.stringContaining("used up") }),
    );
  });

  test("old approvals, keys in cooldown and overdue sessions are warnings", async () => {
    const old = Date.now() - 10 * 3_600_000;
    await env.DB.batch([
      env.DB.prepare(
        "insert into approvals values ('apr_1', 'run_1', 'agent:main:main', 'main', 'exec', 'May I?', ?)",
      ).bind(old),
      env.DB.prepare("insert into cooldowns values ('openai', 3, 'billing', ?)").bind(Date.now() + 60_000),
      env.DB.prepare(
        "insert into sessions values ('agent:main:hook:late', 'main', 's', ?, ?, 'run_9', 'running', null, null, null, null)",
      ).bind(old, old),
    ]);
    const found = problems(await diagnosis(BARE));
    expect(found["backlog.approvals"]).toMatchObject({ message: expect.stringContaining("1 tool calls") });
    expect(found["backlog.rest.openai"]).toMatchObject({ fix: expect.stringContaining("credit") });
    expect(found["backlog.session.agent:main:hook:late"]).toMatchObject({
      fix: expect.stringContaining("run_9/abort"),
    });
  });
});

describe("memory", () => {
  /** What is said of memory, by id. */
  async function memoryOf(config: object, more: object = {}) {
    const { checks } = await configured(config, more);
    return Object.fromEntries(checks.filter(({ area }) => area === "memory").map((check) => [check.id, check]));
  }
  const withMemory = (memorySearch: object) => ({ agents: { defaults: { memorySearch } } });
  const vectors =
    (dimensions: number) =>
    (_: string, { text }: { text: string[] }) =>
      Promise.resolve({ data: text.map(() => [1, ...new Array<number>(dimensions - 1).fill(0)]) });

  test("memory without an embedding provider passes, with its embedder and the reason", async () => {
    const said = await memoryOf({});
    expect(Object.values(said).filter(({ status }) => status !== "ok")).toEqual([]);
    expect(said["memory.main.embeddings"]?.message).toMatch(/from local \(hash-1\)\. auto: .*local needs no key/);
  });

  test("an embedding provider is asked once, however many agents use it", async () => {
    await serve("doctor-embeds", { "v1/embeddings": { embeds: { dimensions: 768 } } });
    const remote = { baseUrl: at("doctor-embeds", "v1") };
    const list = [{ id: "main" }, { id: "other" }];
    const said = await memoryOf({
      agents: { list, ...withMemory({ provider: "openai", model: "nomic-embed-text", remote }).agents },
    });
    const space = Object.keys(said).filter((id) => id.startsWith("memory.embedder."));
    expect(space).toEqual([expect.stringMatching(/^memory\.embedder\.openai\/nomic-embed-text\/768 at 127/)]);
    expect(said[space[0]!]).toMatchObject({ status: "ok" });
    expect(await heard("doctor-embeds")).toHaveLength(1);
  });

  test("a failing embedding provider is a warning with a fix and without the key", async () => {
    await serve("doctor-refused", { "v1/embeddings": { status: 401, body: "no such key: sk-wrong" } });
    const remote = { baseUrl: at("doctor-refused", "v1"), apiKey: { source: "env", id: "WRONG_KEY" } };
    const said = await memoryOf(withMemory({ provider: "openai", remote }), { WRONG_KEY: "sk-wrong" });
    const failed = Object.values(said).find(({ id }) => id.startsWith("memory.embedder."));
    expect(failed).toMatchObject({
      status: "warn",
      message: expect.stringContaining("rejects the key"),
      fix: expect.stringContaining("key"),
    });
    expect(JSON.stringify(said)).not.toContain("sk-wrong");
  });

  test("memory that falls back to another provider is a warning with the missing key", async () => {
    const said = await memoryOf(withMemory({ provider: "voyage", fallback: "local" }));
    expect(said["memory.main.embeddings"]).toMatchObject({
      status: "warn",
      message: expect.stringMatching(/VOYAGE_API_KEY is not set; the fallback local takes its place/),
      path: "agents.defaults.memorySearch.provider",
    });
  });

  test("memory whose vectors do not fit the Vectorize index is a warning", async () => {
    const AI = { run: vectors(768) };
    const VECTORS = { describe: async () => ({ dimensions: 1024, vectorCount: 0 }) };
    const model = "@cf/baai/bge-base-en-v1.5";
    const said = await memoryOf(withMemory({ provider: "workers-ai", model }), { AI, VECTORS });
    expect(said["memory.vectorize"]).toMatchObject({
      status: "warn",
      message: expect.stringMatching(/1024.*768.*in D1/),
    });
    const whole = await memoryOf({}, { AI: { run: vectors(1024) }, VECTORS });
    expect(whole["memory.vectorize"]).toMatchObject({ status: "ok" });
    expect(whole["memory.main.embeddings"]?.message).toContain("Workers AI is bound");
  });

  test("memory that is off for all agents is not checked", async () => {
    expect(Object.keys(await memoryOf(withMemory({ enabled: false })))).toEqual(["memory.off"]);
  });
});

test("each MCP server is asked, and the doctor says what is wrong and which tools are held back", async () => {
  const tool = (name: string, description: string) => ({ name, description });
  await serveMcp("doctor-pier", { tools: [tool("count", "Counts."), tool("old", "Counts.")] });
  await serveMcp("doctor-locked", { tools: [], authorization: "Bearer x" });
  const servers = {
    pier: { url: mcpAt("doctor-pier") },
    locked: { url: mcpAt("doctor-locked") },
    off: { url: "https://nowhere.example/mcp", enabled: false },
  };
  const config = withServers({}, servers);
  const found = await configured(config);
  expect(found.checks.filter(({ area }) => area === "mcp").map(({ id, status }) => [id, status])).toEqual([
    ["mcp.pier", "ok"],
    ["mcp.locked", "warn"],
  ]);
  expect(problems(found)["mcp.locked"]).toMatchObject({ fix: expect.stringContaining("mcp.servers.locked.headers") });
  expect(found.checks).toContainEqual(
    expect.objectContaining({ message: "pier (lantern house 1.2) answers with 2 of 2 tools that are taken." }),
  );
  const { pier } = wholeSchema.parse(config).mcp.servers;
  await listServer({ name: "pier", config: pier! }, mcpDeps(config));
  await serveMcp("doctor-pier", { tools: [tool("count", "Counts, and more."), tool("old", "Counts.")] });
  const after = problems(await configured(config));
  expect(after["mcp.pier.pending"]).toMatchObject({ message: expect.stringMatching(/held back: count\.$/) });
});

/** What reaching servers needs by a configuration, without what a Worker adds. */
function mcpDeps(config: object): McpDeps {
  const { security } = wholeSchema.parse(config);
  return {
    database: env.DB,
    fetch: openStreamingEgress(security.egress, "cloudflare-workers"),
    secret: () => undefined,
    dataKey: undefined,
    noteHeldBack: async () => undefined,
    noteSignInLost: async () => undefined,
    waitUntil: () => undefined,
    now: () => Date.now(),
  };
}
