import { describe, expect, test } from "vitest";
import { z } from "zod";
import { channelsConfig } from "../../../src/channels/index.ts";
import { configSchema } from "../../../src/config/config-schema.ts";
import { importOpenClaw } from "../../../src/migrate/openclaw/import-openclaw.ts";
import { modelsConfig } from "../../../src/models/config.ts";
import { hooksConfig } from "../../../src/plugins/config.ts";
import { PLUGINS } from "../../../src/plugins/index.ts";

const schema = configSchema(modelsConfig, channelsConfig(), hooksConfig(PLUGINS));

/** What becomes of a document. */
function imported(document: unknown) {
  return importOpenClaw(typeof document === "string" ? document : JSON.stringify(document), schema);
}

/** Where OpenClaw fills in a variable. */
function variable(name: string): string {
  return `\${${name}}`;
}

/** The paths of one kind of findings. */
function paths(findings: readonly { path: string }[]): string[] {
  return findings.map(({ path }) => path);
}

describe("what passes", () => {
  test("what has the same name and shape comes over as it is", () => {
    const document = {
      agents: {
        defaults: { userTimezone: "Europe/Berlin", model: { primary: "anthropic/claude-opus-5", fallbacks: ["a/b"] } },
        list: [{ id: "main", default: true, name: "Main" }, { id: "work" }],
      },
      session: { dmScope: "per-channel-peer" },
      commands: { ownerAllowFrom: ["telegram:42"] },
    };
    const report = imported(document);
    expect(report.document).toEqual(document);
    expect(report.mapped).toContainEqual({ from: "session.dmScope", to: "session.dmScope" });
    expect(report.mapped).toContainEqual({
      from: "agents.defaults.model.fallbacks",
      to: "agents.defaults.model.fallbacks",
    });
    expect([...report.changed, ...report.unknown, ...report.refused]).toEqual([]);
  });

  test("remote MCP servers come over, and those that are started as programs say what to do instead", () => {
    const headers = { Authorization: variable("PIER_AUTH") };
    const { document, unknown } = imported({
      mcp: {
        servers: {
          pier: { url: "https://pier.example/mcp", transport: "streamable-http", headers },
          local: { command: "npx", args: ["-y", "x"] },
        },
      },
    });
    expect(document).toEqual({
      mcp: {
        servers: {
          pier: { url: "https://pier.example/mcp", headers: { Authorization: { source: "env", id: "PIER_AUTH" } } },
        },
      },
    });
    expect(unknown).toContainEqual(
      expect.objectContaining({ path: "mcp.servers.local.command", why: "A Worker starts no programs." }),
    );
  });

  test("what is accepted and does nothing yet says so", () => {
    const { mapped } = imported({ agents: { list: [{ id: "main", agentDir: "state" }] } });
    expect(mapped).toContainEqual({
      from: "agents.list[0].agentDir",
      to: "agents.list[0].agentDir",
      note: "It has no use here.",
    });
    expect(mapped).toContainEqual({ from: "agents.list[0].id", to: "agents.list[0].id" });
  });

  test("JSON5 is read, with its comments and trailing commas", () => {
    expect(imported("// mine\n{agents: {defaults: {timeFormat: '24',},},}").document).toEqual({
      agents: { defaults: { timeFormat: "24" } },
    });
  });

  test("what is left is valid, whatever comes", () => {
    for (const document of [
      {},
      { agents: [] },
      { agents: { list: "no" } },
      { channels: { telegram: 3 } },
      { models: null },
    ]) {
      expect(schema.safeParse(imported(document).document).success).toBe(true);
    }
  });
});

describe("names that have changed", () => {
  test("the first versions' `agent` is agents.defaults, `identity` the default agent's", () => {
    const report = imported({
      agent: { model: "anthropic/claude-opus-5", modelFallbacks: ["openai/gpt-6"], timeoutSeconds: 60 },
      identity: { name: "Clawd" },
    });
    expect(report.document).toMatchObject({
      agents: {
        defaults: { model: { primary: "anthropic/claude-opus-5", fallbacks: ["openai/gpt-6"] }, timeoutSeconds: 60 },
        list: [{ id: "main" }],
      },
    });
    expect(report.mapped).toContainEqual({ from: "agent.timeoutSeconds", to: "agents.defaults.timeoutSeconds" });
  });

  test("agents by id become entries of the list, and the one that is named the default says so", () => {
    const report = imported({
      agents: { entries: { home: { name: "Home" }, Work: {} }, defaults: { systemAgent: { agentId: "Work" } } },
    });
    expect(report.document).toMatchObject({
      agents: {
        list: [
          { id: "home", name: "Home" },
          { id: "work", default: true },
        ],
      },
    });
    expect(report.mapped).toContainEqual({ from: "agents.entries.home.name", to: "agents.list[0].name" });
    expect(report.changed).toContainEqual({ path: "agents.entries.Work", why: "The id is written 'work' here." });
  });

  test("an agent's id is the name that it stands under, whatever it says of itself", () => {
    const report = imported({ agents: { entries: { home: { id: "other" } } } });
    expect(report.document).toEqual({ agents: { list: [{ id: "home" }] } });
    expect(paths(report.changed)).toEqual(["agents.entries.home.id"]);
  });

  test("`routing` is messages, agents and bindings", () => {
    const report = imported({
      routing: {
        queue: { mode: "steer-backlog", byProvider: { telegram: "queue" } },
        agents: { ada: {} },
        defaultAgentId: "ada",
      },
    });
    expect(report.document).toMatchObject({
      messages: { queue: { mode: "steer", byChannel: { telegram: "steer" } } },
      agents: { list: [{ id: "ada", default: true }] },
    });
  });

  test("an older name does not take the place of the newer one, and is listed", () => {
    const report = imported({ agent: { timeoutSeconds: 1 }, agents: { defaults: { timeoutSeconds: 2 } } });
    expect(report.document).toEqual({ agents: { defaults: { timeoutSeconds: 2 } } });
    expect(paths(report.unknown)).toEqual(["agent.timeoutSeconds"]);
  });

  test("a pause that begins anew is a mode of session.reset", () => {
    expect(imported({ session: { idleMinutes: 60 } }).document).toEqual({
      session: { reset: { mode: "idle", idleMinutes: 60 } },
    });
  });
});

describe("folders of a machine", () => {
  test("workspaces at ~ or absolute paths mean the agent's own, and that is said", () => {
    const report = imported({
      agents: {
        defaults: { workspace: "~/.openclaw/workspace" },
        list: [
          { id: "main", workspace: "/home/ada/clawd", agentDir: "~/x" },
          { id: "notes", workspace: "shared/notes" },
        ],
      },
    });
    expect(report.document).toEqual({
      agents: { list: [{ id: "main" }, { id: "notes", workspace: "shared/notes" }] },
    });
    expect(paths(report.changed)).toEqual([
      "agents.defaults.workspace",
      "agents.list[0].workspace",
      "agents.list[0].agentDir",
    ]);
  });
});

describe("channels", () => {
  test("an account that stands alone is the account `default`", () => {
    const report = imported({
      channels: { telegram: { enabled: true, dmPolicy: "allowlist", allowFrom: ["tg:42", 43] } },
    });
    expect(report.document).toEqual({
      channels: { telegram: { accounts: { default: { dmPolicy: "allowlist", allowFrom: ["42", "43"] } } } },
    });
    expect(report.mapped).toContainEqual({
      from: "channels.telegram.dmPolicy",
      to: "channels.telegram.accounts.default.dmPolicy",
    });
  });

  test("what stands beside accounts holds for each that does not say otherwise", () => {
    const report = imported({
      channels: {
        defaults: { groupPolicy: "disabled" },
        telegram: { dmPolicy: "disabled", accounts: { a: { dmPolicy: "open" }, b: { groupPolicy: "open" } } },
      },
    });
    expect(report.document).toEqual({
      channels: {
        telegram: {
          accounts: {
            a: { dmPolicy: "open", groupPolicy: "disabled" },
            b: { dmPolicy: "disabled", groupPolicy: "open" },
          },
        },
      },
    });
  });

  test("what every account says for itself is not said again, and that is told", () => {
    const report = imported({
      channels: { telegram: { dmPolicy: "open", accounts: { a: { dmPolicy: "disabled" } } } },
    });
    expect(report.document).toEqual({ channels: { telegram: { accounts: { a: { dmPolicy: "disabled" } } } } });
    expect(paths(report.changed)).toEqual(["channels.telegram.dmPolicy"]);
  });

  test("what is switched off does not come over", () => {
    const off = imported({ channels: { telegram: { enabled: false, dmPolicy: "open" } } });
    expect(off.document).toEqual({ channels: { telegram: { accounts: {} } } });
    expect(paths(off.changed)).toEqual(["channels.telegram"]);
  });

  test("a group that is named stays named, also where nothing that is said of it holds here", () => {
    const report = imported({ channels: { telegram: { groups: { "-100": { systemPrompt: "Short." } } } } });
    expect(report.document).toEqual({ channels: { telegram: { accounts: { default: { groups: { "-100": {} } } } } } });
    expect(paths(report.unknown)).toEqual(['channels.telegram.groups["-100"].systemPrompt']);
  });

  test("a limit that has no effect here is listed with the reason", () => {
    const { unknown } = imported({ channels: { telegram: { groupAllowFrom: ["42"] } } });
    expect(unknown).toMatchObject([
      { path: "channels.telegram.groupAllowFrom", why: expect.stringMatching(/would have no effect/) },
    ]);
  });

  test("a field that is not known of a channel that is there is not taken for a missing channel", () => {
    const { unknown } = imported({ channels: { telegram: { frob: 1 } } });
    expect(unknown).toMatchObject([{ path: "channels.telegram.frob", why: "There is no such field here." }]);
  });

  const telegram = (said: object) => imported({ channels: { telegram: said } });
  const account = (report: ReturnType<typeof imported>): any =>
    (report.document as any).channels?.telegram.accounts.default ?? {};

  test.each<[string, object, string[]]>([
    ["any group, of whose members some were let in", { allowFrom: ["1"], groups: { "*": {} } }, ["*"]],
    [
      "groups of whose members some were let in",
      { groupAllowFrom: ["1"], groups: { "-1": {}, "-2": {} } },
      ["-1", "-2"],
    ],
    ["a group with a list of its own", { groups: { "-1": { allowFrom: [1] }, "-2": {} } }, ["-1"]],
    [
      "such a group, and whatever would let it in again",
      { groupPolicy: "open", groups: { "-1": { allowFrom: [1] }, "*": {} } },
      ["-1", "*"],
    ],
  ])("nobody may speak who could not before: %s", (_, said, gone) => {
    const report = telegram(said);
    for (const group of gone) {
      expect(Object.keys(account(report).groups ?? {})).not.toContain(group);
      expect(report.refused).toContainEqual(
        expect.objectContaining({ path: z.core.toDotPath(["channels", "telegram", "groups", group]) }),
      );
    }
    expect(account(report).groupPolicy ?? "allowlist").toBe("allowlist");
  });

  test("Slack's channels are groups here, and are left out where only some, or none, could write", () => {
    const report = imported({
      channels: {
        slack: {
          dm: { policy: "open", allowFrom: ["U0LABADA01"] },
          groupPolicy: "open",
          channels: {
            C1: { requireMention: false },
            C2: { users: ["U0LABADA01"] },
            C3: { enabled: false },
            C4: { allow: false },
          },
        },
      },
    });
    expect(report.document).toMatchObject({
      channels: {
        slack: {
          accounts: {
            default: {
              ...{ dmPolicy: "open", allowFrom: ["U0LABADA01"], groupPolicy: "allowlist" },
              groups: { C1: { requireMention: false } },
            },
          },
        },
      },
    });
    expect(paths(report.refused).sort()).toEqual(["C2", "C3", "C4"].map((id) => `channels.slack.channels.${id}`));
  });

  test("a Feishu app comes over with its secrets by name, as far as it calls a webhook", () => {
    const report = imported({
      channels: {
        feishu: {
          enabled: true,
          domain: "lark",
          connectionMode: "webhook",
          webhookPath: "/feishu/events",
          appId: "cli_a1b2c3",
          appSecret: "s3cr3t-of-the-app",
          encryptKey: "an-encrypt-key",
          verificationToken: variable("LARK_TOKEN"),
          dmPolicy: "pairing",
          groups: { oc_1: { requireMention: false } },
        },
      },
    });
    expect(report.document).toEqual({
      channels: {
        feishu: {
          accounts: {
            default: {
              domain: "lark",
              appSecret: { source: "env", id: "FEISHU_APP_SECRET" },
              encryptKey: { source: "env", id: "FEISHU_ENCRYPT_KEY" },
              verificationToken: { source: "env", id: "LARK_TOKEN" },
              dmPolicy: "pairing",
              groups: { oc_1: { requireMention: false } },
            },
          },
        },
      },
    });
    expect(paths(report.unknown)).toEqual(["channels.feishu.connectionMode"]);
    expect(paths(report.refused).sort()).toEqual(
      ["appId", "appSecret", "encryptKey"].map((field) => `channels.feishu.${field}`),
    );
  });

  test("groups that were open to everybody stay so, and only those that were named", () => {
    expect(account(telegram({ groupPolicy: "open", groups: { "*": {} } }))).toEqual({
      groupPolicy: "open",
      groups: { "*": {} },
    });
    expect(account(telegram({ groupPolicy: "open" }))).toEqual({ groupPolicy: "open" });
    const named = telegram({ groupPolicy: "open", groups: { "-1": { requireMention: false } } });
    expect(account(named)).toEqual({ groupPolicy: "allowlist", groups: { "-1": { requireMention: false } } });
    expect(paths(named.changed)).toEqual(["channels.telegram.groupPolicy"]);
    const all = telegram({ groupAllowFrom: ["*"], groups: { "-1": { allowFrom: ["*"] } } });
    expect(account(all).groups).toEqual({ "-1": {} });
  });

  test("very many groups are left out in no time, and very many accounts share only so much", () => {
    const groups = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`-${at}`, { allowFrom: [1] }]));
    expect(telegram({ groups }).refused).toHaveLength(2000);
    const many = (prefix: string, value: unknown) =>
      Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`${prefix}${at}`, value]));
    expect(() => telegram({ ...many("field", 1), accounts: many("account", { dmPolicy: "open" }) })).toThrow(
      /2000 accounts share 2000 values/,
    );
  }, 10_000);

  test("a binding comes over with all of its conditions, or not at all", () => {
    const peer = (kind: string) => ({ agentId: "main", match: { channel: "telegram", peer: { kind, id: "1" } } });
    const bindings = [
      { agentId: "main", match: { channel: "discord", guildId: "7", roles: ["admins"] } },
      peer("dm"),
      peer("robot"),
      { agentId: "main", type: "acp", match: { channel: "telegram" } },
    ];
    for (const [document, at] of [
      [{ bindings }, "bindings"],
      [{ routing: { bindings } }, "routing.bindings"],
    ] as const) {
      const report = imported(document);
      expect(report.document).toEqual({ bindings: [peer("direct")] });
      expect(paths(report.refused)).toEqual(expect.arrayContaining([0, 2, 3].map((one) => `${at}[${one}]`)));
      expect(paths(report.unknown)).toContain(`${at}[0].match.roles`);
    }
  });

  test("a Discord bot keeps its token, and is not open to servers that it was not named for", () => {
    const { document, unknown } = imported({
      channels: { discord: { token: "MTE4.x.y", groupPolicy: "open", guilds: { "7": { users: ["1"] } } } },
    });
    const botToken = { source: "env", id: "DISCORD_BOT_TOKEN" };
    expect(document).toEqual({
      channels: { discord: { accounts: { default: { botToken, groupPolicy: "allowlist" } } } },
    });
    expect(paths(unknown)).toEqual(["channels.discord.guilds"]);
  });

  test("channels that are not there are listed, each once", () => {
    const matrix = imported({ channels: { matrix: { homeserver: "x", accounts: { main: { password: "y" } } } } });
    expect(matrix.unknown).toMatchObject([{ path: "channels.matrix", why: "Isopod has no such channel." }]);
    const { unknown, document } = imported({ channels: { signal: { allowFrom: ["+1"], groups: { "*": {} } } } });
    expect(paths(unknown)).toEqual(["channels.signal"]);
    expect(document).toEqual({});
  });
});

describe("model providers", () => {
  test("formats and addresses are written as they are here", () => {
    const report = imported({
      models: {
        mode: "merge",
        providers: {
          minimax: {
            baseUrl: "https://api.minimax.io/anthropic",
            api: "anthropic-messages",
            apiKey: variable("MINIMAX_API_KEY"),
          },
          "my-ollama": { api: "ollama", baseUrl: "http://10.0.0.2:11434" },
          proxy: { baseUrl: "https://p.test/v1", models: [{ id: "m", name: "M", api: "openai-completions" }] },
        },
      },
    });
    expect(report.document).toEqual({
      models: {
        providers: {
          minimax: {
            baseUrl: "https://api.minimax.io/anthropic/v1",
            api: "anthropic-messages",
            apiKey: { source: "env", id: "MINIMAX_API_KEY" },
          },
          "my-ollama": { api: "openai-completions", baseUrl: "http://10.0.0.2:11434/v1" },
          proxy: { baseUrl: "https://p.test/v1", api: "openai-completions", models: [{ id: "m", name: "M" }] },
        },
      },
    });
  });

  test("profiles name the variable of their key; logins stay behind, with their places", () => {
    const report = imported({
      auth: {
        profiles: {
          "anthropic:default": { provider: "anthropic", mode: "api_key" },
          "anthropic:work": { provider: "anthropic" },
          "anthropic:me@x.com": { provider: "anthropic", mode: "oauth", email: "me@x.com" },
        },
        order: { anthropic: ["anthropic:me@x.com", "anthropic:work"] },
      },
    });
    expect(report.document).toEqual({
      auth: {
        profiles: {
          "anthropic:default": { provider: "anthropic", apiKey: { source: "env", id: "ANTHROPIC_API_KEY" } },
          "anthropic:work": { provider: "anthropic", apiKey: { source: "env", id: "ANTHROPIC_WORK_API_KEY" } },
        },
        order: { anthropic: ["anthropic:work"] },
      },
    });
    expect(paths(report.unknown)).toEqual(['auth.profiles["anthropic:me@x.com"]']);
  });
});

describe("secrets", () => {
  const TOKEN = "8123456789:AAFakeFakeFakeFakeFakeFakeFakeFake00";

  test("a token in plain words is refused; a reference stands in its place, and nobody hears the value", () => {
    const report = imported({ channels: { telegram: { botToken: TOKEN, accounts: { work: { botToken: TOKEN } } } } });
    expect(report.document).toEqual({
      channels: {
        telegram: {
          accounts: {
            default: { botToken: { source: "env", id: "TELEGRAM_BOT_TOKEN" } },
            work: { botToken: { source: "env", id: "TELEGRAM_WORK_BOT_TOKEN" } },
          },
        },
      },
    });
    expect(report.refused).toMatchObject([
      {
        path: "channels.telegram.accounts.work.botToken",
        hint: expect.stringContaining("wrangler secret put TELEGRAM_WORK_BOT_TOKEN"),
      },
      { path: "channels.telegram.botToken", hint: expect.stringContaining("wrangler secret put TELEGRAM_BOT_TOKEN") },
    ]);
    expect(JSON.stringify(report)).not.toContain("AAFake");
  });

  test("references of every form become ours", () => {
    const keys = [
      variable("MY_KEY"),
      "$MY_KEY",
      "secretref-env:MY_KEY",
      "MY_KEY",
      { source: "env", provider: "default", id: "MY_KEY" },
      { source: "env", id: "MY_KEY" },
    ];
    for (const apiKey of keys) {
      const provider = { baseUrl: "https://p.test/v1", api: "openai-completions", apiKey };
      expect(imported({ models: { providers: { p: provider } } }).document).toMatchObject({
        models: { providers: { p: { apiKey: { source: "env", id: "MY_KEY" } } } },
      });
    }
  });

  test("what is read from files or programs is refused, with a variable in its place", () => {
    const apiKey = { source: "exec", provider: "vault", id: "providers/openai" };
    const report = imported({ models: { providers: { p: { baseUrl: "https://p.test/v1", apiKey } } } });
    expect(report.refused).toMatchObject([{ path: "models.providers.p.apiKey", why: expect.stringContaining("exec") }]);
    expect(report.document).toMatchObject({
      models: { providers: { p: { apiKey: { source: "env", id: "P_API_KEY" } } } },
    });
  });

  test.each([
    ["a header", { headers: { Authorization: "Bearer abcdefgh" } }],
    ["a list of headers' secrets", { headers: { "X-Tokens": "abcdefgh" } }],
    ["a header of another name", { headers: { "X-Extra": "sk-abcdefghijklmnopqrst" } }],
    ["an address", { baseUrl: "https://ada:hunter2@p.test/v1" }],
    ["a part of an address", { baseUrl: "https://p.test/v1?key=hunter2" }],
  ])("a secret in %s does not come over", (_, more) => {
    const provider = { baseUrl: "https://p.test/v1", api: "openai-completions", ...more };
    const report = imported({ models: { providers: { p: provider } } });
    expect(JSON.stringify(report)).not.toMatch(/hunter2|abcdefgh/);
    expect(report.refused).not.toEqual([]);
  });

  test("secrets in what is unknown are not refused one by one, and not told either", () => {
    const report = imported({
      gateway: { port: 18789, auth: { token: "hunter2" } },
      env: { OPENROUTER_API_KEY: "hunter2", vars: { GROQ_API_KEY: "hunter2" } },
      talk: { apiKey: "hunter2" },
    });
    expect(report.refused).toEqual([]);
    expect(paths(report.unknown)).toEqual(["gateway", "gateway.auth", "env", "talk"]);
    expect(JSON.stringify(report)).not.toContain("hunter2");
  });

  test("variables are not filled into other texts", () => {
    const report = imported({ agents: { list: [{ id: "main", name: `Bot of ${variable("USER")}` }] } });
    expect(report.document).toEqual({ agents: { list: [{ id: "main" }] } });
    expect(paths(report.refused)).toEqual(["agents.list[0].name"]);
  });

  test("the key of a server on one's own machine is named, and need not be set", () => {
    const lmstudio = { baseUrl: "http://127.0.0.1:1234/v1", api: "openai-completions", apiKey: "lmstudio" };
    const report = imported({ models: { providers: { local: lmstudio } } });
    expect(report.document).toEqual({
      models: { providers: { local: { ...lmstudio, apiKey: { source: "env", id: "LOCAL_API_KEY" } } } },
    });
    expect(report.refused).toMatchObject([
      { path: "models.providers.local.apiKey", hint: expect.stringContaining("asked without a key") },
    ]);
  });
});

describe("what is written as here and means something else", () => {
  test("a model in a file is not replaced by what has its name here", () => {
    const report = imported({ memorySearch: { provider: "local", local: { modelPath: "~/m.gguf" } } });
    expect(paths(report.refused)).toEqual(["memorySearch.provider"]);
    expect(paths(report.unknown)).toEqual(["memorySearch.local"]);
    expect(JSON.stringify(report.document)).not.toContain("local");
    const spare = imported({ memorySearch: { provider: "gemini", fallback: "local" } });
    expect(paths(spare.refused)).toEqual(["memorySearch.fallback"]);
    expect(spare.document).toEqual({ agents: { defaults: { memorySearch: { provider: "gemini" } } } });
  });

  test("folders of a machine are no part of memory, and those of the workspace are", () => {
    const extraPaths = ["notes", "~/wiki", "/srv/docs", "team/rules.md"];
    const report = imported({ agents: { defaults: { memorySearch: { extraPaths } } } });
    expect(report.document).toEqual({
      agents: { defaults: { memorySearch: { extraPaths: ["notes", "team/rules.md"] } } },
    });
    expect(paths(report.refused)).toEqual([
      "agents.defaults.memorySearch.extraPaths[1]",
      "agents.defaults.memorySearch.extraPaths[2]",
    ]);
  });

  test("what OpenClaw's memory has on its disk and at its providers is told, and what is the same stays", () => {
    const memorySearch = {
      provider: "openai-compatible",
      outputDimensionality: 768,
      remote: { batch: { enabled: true, wait: true } },
      store: { driver: "sqlite", path: "~/x.sqlite", vector: { enabled: true } },
      query: { hybrid: { mmr: { enabled: false } } },
    };
    const report = imported({ agents: { list: [{ id: "main", memorySearch }] } });
    expect(report.unknown).toContainEqual(expect.objectContaining({ why: expect.stringContaining("D1") }));
    expect(report.document).toEqual({
      agents: {
        list: [
          {
            id: "main",
            memorySearch: {
              provider: "openai",
              outputDimensionality: 768,
              remote: { batch: { enabled: true } },
              store: { vector: { enabled: true } },
              query: { hybrid: { mmr: { enabled: false } } },
            },
          },
        ],
      },
    });
  });

  test("a mode of commands is spelt out, and never allows more", () => {
    for (const [mode, exec] of [
      ["full", { security: "full", ask: "off" }],
      ["auto", { security: "allowlist", ask: "on-miss" }],
      ["deny", { security: "deny", ask: "off" }],
    ]) {
      expect(imported({ tools: { exec: { mode } } }).document).toEqual({ tools: { exec } });
    }
    expect(paths(imported({ tools: { exec: { mode: "yolo" } } }).unknown)).toEqual(["tools.exec.mode"]);
  });

  test("replies in blocks are blocks here; other ways to show a reply early are listed", () => {
    const blocks = imported({ channels: { telegram: { streaming: "block" } } });
    expect(blocks.document).toEqual({ channels: { telegram: { accounts: { default: { blockStreaming: true } } } } });
    const partial = imported({ channels: { telegram: { streaming: "partial" } } });
    expect(partial.unknown).toMatchObject([{ path: "channels.telegram.streaming", hint: "Set blockStreaming." }]);
  });
});

describe("what is not here", () => {
  test("everything unknown is listed with why and what to do", () => {
    const report = imported({
      gateway: { port: 1, bind: "lan" },
      browser: { enabled: true },
      frobnicate: [1, { a: 2 }],
      agents: { defaults: { $include: "./agents.json5", frob: 1 } },
    });
    expect(paths(report.unknown).sort()).toEqual([
      "agents.defaults.$include",
      "agents.defaults.frob",
      "browser",
      "frobnicate",
      "gateway",
    ]);
    for (const { why, hint } of report.unknown) expect([why, hint]).toEqual([expect.any(String), expect.any(String)]);
  });

  test("a wrong type is refused with its path, and the rest comes over", () => {
    const report = imported({ agents: { defaults: { timeoutSeconds: "long", timeFormat: "24" } } });
    expect(report.document).toEqual({ agents: { defaults: { timeFormat: "24" } } });
    expect(report.refused).toMatchObject([{ path: "agents.defaults.timeoutSeconds" }]);
  });

  test("an entry that lacks what it needs is refused as a whole, and names the field", () => {
    const report = imported({
      models: { providers: { p: { api: "openai-completions" }, q: { baseUrl: "https://q.test/v1" } } },
    });
    expect(report.refused).toMatchObject([{ path: "models.providers.p", why: expect.stringContaining("baseUrl") }]);
    expect(report.document).toMatchObject({ models: { providers: { q: {} } } });
  });
});

describe("everything is accounted for", () => {
  test("each value of a document is mapped, changed, unknown or refused", () => {
    const document = {
      agent: { workspace: "~/w", model: "anthropic/claude-opus-5", elevated: { enabled: true }, frob: [1, 2] },
      identity: { name: "Clawd", emoji: "x" },
      env: { A_KEY: "1", shellEnv: { enabled: true } },
      auth: { profiles: { "openai:x": { provider: "openai", mode: "oauth" } }, order: { openai: ["openai:x"] } },
      routing: { queue: { mode: "collect", cap: 5 }, agents: { ada: { id: "other", name: "Ada" } }, allowFrom: ["+1"] },
      channels: {
        telegram: { enabled: true, botToken: "1:x", allowFrom: [1], groups: { "-1": { allowFrom: ["2"] } } },
        slack: { enabled: false, appToken: "x" },
        discord: { dmPolicy: "open", token: "x", accounts: { default: { token: "y", dmPolicy: "open" } } },
        defaults: { groupPolicy: "open", heartbeat: { showOk: true } },
      },
      models: { mode: "merge", providers: { p: { baseUrl: "https://p.test", api: "anthropic-messages", auth: "x" } } },
      session: { idleMinutes: 5, mainKey: "main", store: "~/s" },
      meta: { lastTouchedVersion: "1" },
      tools: { bash: { timeoutSec: 3 }, deny: ["browser"], loopDetection: { warningThreshold: 4, historySize: 3 } },
    };
    const report = imported(document);
    const told = [
      ...report.mapped.map(({ from }) => from),
      ...paths(report.changed),
      ...paths(report.unknown),
      ...paths(report.refused),
    ];
    const isTold = (path: string) =>
      told.some((said) => path === said || path.startsWith(`${said}.`) || path.startsWith(`${said}[`));
    expect(valuesIn(document, []).filter((path) => !isTold(path))).toEqual([]);
  });
});

/** The paths of all values in a document. */
function valuesIn(value: unknown, path: (string | number)[]): string[] {
  if (typeof value !== "object" || value === null) return [z.core.toDotPath(path)];
  const isArray = Array.isArray(value);
  return Object.entries(value).flatMap(([key, inner]) => valuesIn(inner, [...path, isArray ? Number(key) : key]));
}

describe("bad input", () => {
  test("a document that a schema will not have at all is refused section by section", () => {
    const never = z.looseObject({}).refine(() => false, "never");
    const report = importOpenClaw('{"prompt": {"productName": "Acorn"}, "session": {}}', never);
    expect(report).toMatchObject({ document: {}, mapped: [], refused: [{ path: "prompt" }, { path: "session" }] });
  });

  test.each([
    ["{", /JSON5/],
    ["[]", /not an object/],
    ["3", /not an object/],
    ["{a: Infinity}", /finite/],
    [`{a: ${"[".repeat(40)}${"]".repeat(40)}}`, /deep/],
    [`{a: [${"1,".repeat(6000)}]}`, /over 5000 values/],
    [" ".repeat(300_000), /longer/],
  ])("what is not read, case %#", (text, why) => {
    expect(() => imported(text)).toThrow(why);
  });

  test("a field called __proto__ is a field like any other", () => {
    const report = imported('{"__proto__": {"polluted": 1}, "agents": {"__proto__": {"x": 1}}}');
    expect(Object.keys(report.document)).toEqual([]);
    expect(report.unknown).toHaveLength(2);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});
