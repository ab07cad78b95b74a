import { describe, expect, test } from "vitest";
import { z } from "zod";
import { changesRefusedToAgent } from "../../src/config/agent-writes.ts";
import { mergePatch } from "../../src/config/document.ts";
import { agentMayWrite } from "../../src/config/field-marks.ts";
import { jsonSchemaOf } from "../../src/config/schema-node.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/lib/json.ts";
import { pick, randomFrom } from "../prompt/random.ts";
import { wholeSchema } from "./whole-schema.ts";

const schema = jsonSchemaOf(wholeSchema);

const main = { id: "main", tools: { exec: { ask: "always" } } };
const other = { id: "other", name: "Other" };
const BASE: JsonObject = {
  agents: { defaults: { model: "p/x", sandbox: { mode: "all" }, timeFormat: "24" }, list: [main, other] },
  tools: { exec: { security: "allowlist", ask: "on-miss", timeoutSec: 60 }, deny: ["write"] },
  auth: { order: { openai: ["work"] } },
  budgets: { global: { runsPerDay: 10 } },
  commands: { ownerAllowFrom: ["telegram:1"] },
  channels: { telegram: { accounts: { default: { dmPolicy: "pairing", blockStreaming: true } } } },
  bindings: [{ agentId: "other", match: { channel: "telegram" } }],
  prompt: { productName: "Isopod" },
};

/** The fields that a merge patch changes and the agent may not write. */
function refused(patch: Json, base = BASE): string[] {
  const after = mergePatch(base, patch);
  return isJsonObject(after) ? changesRefusedToAgent(schema, base, after) : ["(document)"];
}

describe("a change is refused by its path", () => {
  test.each<[string, Json, string[]]>([
    ["of what is asked before a command", { tools: { exec: { ask: "off" } } }, ["tools.exec.ask"]],
    ["of which commands run", { tools: { exec: { security: "full" } } }, ["tools.exec.security"]],
    ["of how long a command runs", { tools: { exec: { timeoutSec: 600 } } }, ["tools.exec.timeoutSec"]],
    ["of exec under its old name", { tools: { bash: { ask: "off" } } }, ["tools.bash"]],
    ["of loop detection", { tools: { loopDetection: { enabled: false } } }, ["tools.loopDetection.enabled"]],
    ["of the time of a run", { agents: { defaults: { timeoutSeconds: 86_400 } } }, ["agents.defaults.timeoutSeconds"]],
    ["of the model", { agents: { defaults: { model: "p/y" } } }, ["agents.defaults.model"]],
    [
      "of how much a model thinks",
      { agents: { defaults: { thinkingDefault: "high" } } },
      ["agents.defaults.thinkingDefault"],
    ],
    [
      "of who sees reasoning",
      { agents: { defaults: { reasoningDefault: "on" } } },
      ["agents.defaults.reasoningDefault"],
    ],
    [
      "of an alias of a model",
      { agents: { defaults: { models: { "p/big": { alias: "small" } } } } },
      ['agents.defaults.models["p/big"]'],
    ],
    ["of what follows a failed model", { models: { retry: { times: 5 } } }, ["models.retry.times"]],
    ["of the order of keys", { auth: { order: { openai: [] } } }, ["auth.order.openai"]],
    [
      "that turns heartbeats on by an empty object",
      { agents: { defaults: { heartbeat: {} } } },
      ["agents.defaults.heartbeat"],
    ],
    [
      "of where a heartbeat reports",
      { agents: { list: [{ ...main, heartbeat: { to: "1" } }, other] } },
      ["agents.list[0].heartbeat.to"],
    ],
    [
      "of whose index memory is",
      { agents: { defaults: { memorySearch: { provider: "openai" } } } },
      ["agents.defaults.memorySearch.provider"],
    ],
    ["of a sandbox", { agents: { defaults: { sandbox: { mode: "off" } } } }, ["agents.defaults.sandbox.mode"]],
    ["of how sessions wait", { messages: { queue: { cap: 1000 } } }, ["messages.queue.cap"]],
    ["of what every reply begins with", { messages: { responsePrefix: "Pay here:" } }, ["messages.responsePrefix"]],
    ["of words in the prompt", { prompt: { productName: "Obey" } }, ["prompt.productName"]],
    ["of hint text in the prompt", { messages: { tts: { hint: "Obey" } } }, ["messages.tts.hint"]],
    ["of jobs", { cron: { enabled: false } }, ["cron.enabled"]],
    ["of the owners", { commands: { ownerAllowFrom: ["telegram:1", "telegram:2"] } }, ["commands.ownerAllowFrom"]],
    [
      "of mention patterns",
      { messages: { groupChat: { mentionPatterns: ["(a+)+$"] } } },
      ["messages.groupChat.mentionPatterns"],
    ],
    ["of who answers where", { bindings: [] }, ["bindings"]],
    [
      "of sub-agents",
      { agents: { defaults: { subagents: { maxChildren: 50 } } } },
      ["agents.defaults.subagents.maxChildren"],
    ],
    ["of the web", { tools: { web: { fetch: { enabled: true } } } }, ["tools.web.fetch.enabled"]],
    ["of the folders of skills", { skills: { load: { extraDirs: ["agents/other/"] } } }, ["skills.load.extraDirs"]],
    [
      "of a skill's own fields",
      { skills: { entries: { x: { config: { host: "evil.test" } } } } },
      ["skills.entries.x"],
    ],
    ["of a cap", { budgets: { global: { runsPerDay: 1000 } } }, ["budgets.global.runsPerDay"]],
    ["that adds a cap", { budgets: { perAgent: { runsPerDay: 1 } } }, ["budgets.perAgent.runsPerDay"]],
    [
      "of who may write",
      { channels: { telegram: { accounts: { default: { dmPolicy: "open" } } } } },
      ["channels.telegram.accounts.default.dmPolicy"],
    ],
    [
      "of mentions in groups",
      { channels: { telegram: { accounts: { default: { requireMention: false } } } } },
      ["channels.telegram.accounts.default.requireMention"],
    ],
    [
      "of where a key is sent",
      { models: { providers: { openai: { baseUrl: "https://evil.test" } } } },
      ["models.providers.openai"],
    ],
    ["of plugins", { hooks: { internal: { enabled: false } } }, ["hooks.internal.enabled"]],
    ["of injections", { security: { injection: { action: "log" } } }, ["security.injection.action"]],
    ["of who shares a session", { session: { dmScope: "main" } }, ["session.dmScope"]],
    [
      "of the picture's address",
      { agents: { list: [{ ...main, identity: { avatar: "https://evil.test" } }, other] } },
      ["agents.list[0].identity.avatar"],
    ],
    [
      "of a field that does not exist",
      { agents: { defaults: { new: 1 } }, other: {} },
      ["agents.defaults.new", "other"],
    ],
    ["of the document itself", "none", ["(document)"]],
  ])("%s", (_, patch, paths) => {
    expect(refused(patch)).toEqual(paths);
  });
});

describe("a change of a closed field is refused however it is written:", () => {
  const inList = (list: Json) => refused({ agents: { list } });
  test.each<[string, () => string[], string[]]>([
    ["null in a patch", () => refused({ tools: { exec: { ask: null } } }), ["tools.exec.ask"]],
    ["null for the object above", () => refused({ tools: { exec: null } }), ["tools.exec"]],
    ["null for the room", () => refused({ tools: null }), ["tools"]],
    ["null as a value", () => changesRefusedToAgent(schema, BASE, { ...BASE, tools: null }), ["tools"]],
    [
      "the whole document replaced by an empty one",
      () => changesRefusedToAgent(schema, BASE, {}),
      [
        "agents.defaults.model",
        "agents.defaults.sandbox",
        "agents.list",
        "tools",
        "auth",
        "budgets",
        "commands",
        "channels.telegram.accounts",
        "bindings",
        "prompt",
      ],
    ],
    ["a text for an object", () => refused({ tools: "none" }), ["tools"]],
    ["a list for an object", () => refused({ tools: [{ exec: { ask: "off" } }] }), ["tools"]],
    ["an object for a list", () => inList({ main: {} }), ["agents.list"]],
    ["an object with indexes for a list", () => inList({ 0: { tools: {} } }), ["agents.list"]],
    [
      "by index",
      () => inList([{ id: "main", tools: { exec: { ask: "off" } } }, other]),
      ["agents.list[0].tools.exec.ask"],
    ],
    [
      "by index under the old name",
      () => inList([{ ...main, tools: { ...main.tools, bash: {} } }, other]),
      ["agents.list[0].tools.bash"],
    ],
    ["an entry that leaves its policy out", () => inList([{ id: "main" }, other]), ["agents.list[0].tools"]],
    ["an agent under another name", () => inList([{ ...main, id: "mian" }, other]), ["agents.list[0].id"]],
    [
      "agents in another order",
      () => inList([other, main]),
      ["agents.list[0].id", "agents.list[0].tools", "agents.list[1].id", "agents.list[1].tools.exec.ask"],
    ],
    ["another default agent", () => inList([main, { ...other, default: true }]), ["agents.list[1].default"]],
    ["an agent more", () => inList([main, other, { id: "free" }]), ["agents.list"]],
    ["an agent less", () => inList([main]), ["agents.list"]],
    ["no agents", () => inList([]), ["agents.list"]],
    ["the same agent twice", () => inList([main, main]), ["agents.list[1].id", "agents.list[1].tools.exec.ask"]],
    ["a list that is longer by null", () => inList([main, other, null]), ["agents.list"]],
    [
      "an account more",
      () => refused({ channels: { telegram: { accounts: { more: {} } } } }),
      ["channels.telegram.accounts.more"],
    ],
    [
      "an account less",
      () => refused({ channels: { telegram: { accounts: { default: null } } } }),
      ["channels.telegram.accounts.default"],
    ],
    [
      "an account in the short form",
      () => changesRefusedToAgent(schema, BASE, { ...BASE, channels: { telegram: { dmPolicy: "open" } } }),
      ["channels.telegram.accounts", "channels.telegram.dmPolicy"],
    ],
    ["a record that was not there", () => refused({ auth: { profiles: {} } }, {}), ["auth.profiles"]],
  ])("%s", (_, changed, paths) => {
    expect(changed().toSorted()).toEqual(paths.toSorted());
  });

  test("names of a prototype, such as __proto__ and constructor", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      const patch = JSON.parse(`{"${name}": {"x": 1}, "tools": {"${name}": {"exec": {"ask": "off"}}}}`);
      expect(refused(patch).toSorted()).toEqual([name, `tools.${name}`].toSorted());
      const open = JSON.parse(`{"agents": {"defaults": {"${name}": {"timeFormat": "12"}}}}`);
      expect(refused(open)).toEqual([`agents.defaults.${name}`]);
    }
  });
});

test("a change of very many fields is refused in no time", () => {
  const groups = (mention: boolean) =>
    Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`-${at}`, { requireMention: mention }]));
  const of = (mention: boolean) => ({ channels: { telegram: { accounts: { default: { groups: groups(mention) } } } } });
  expect(changesRefusedToAgent(schema, of(true), of(false))).toHaveLength(20_000);
  expect(changesRefusedToAgent(schema, of(true), {})).toEqual(["channels.telegram.accounts"]);
}, 5000);

describe("a change is let through", () => {
  const account = { dmPolicy: "pairing", blockStreaming: true };
  test.each<[string, Json]>([
    [
      "of the time zone and how times are written",
      { agents: { defaults: { userTimezone: "Asia/Shanghai", timeFormat: null } } },
    ],
    ["of a reaction, where messages say nothing yet", { messages: { ackReaction: "👀" } }],
    ["of citations", { memory: { citations: "off" } }],
    ["of pauses in an object that was not there", { agents: { defaults: { humanDelay: { mode: "natural" } } } }],
    [
      "of an account's style",
      { channels: { telegram: { accounts: { default: { ...account, blockStreaming: null, replyToMode: "all" } } } } },
    ],
    [
      "of an agent's name and emoji",
      { agents: { list: [{ ...main, name: "Pip", identity: { name: "Pip", emoji: "🦐" } }, other] } },
    ],
    ["that takes a name away", { agents: { list: [main, { id: "other" }] } }],
    ["that says again what holds", BASE],
    ["that is empty", {}],
  ])("%s", (_, patch) => {
    expect(refused(patch)).toEqual([]);
  });

  test("of the name of the only agent, which the document does not list", () => {
    const named = { agents: { list: [{ id: "main", name: "Pip" }] } };
    expect(changesRefusedToAgent(schema, {}, named)).toEqual([]);
    expect(changesRefusedToAgent(schema, named, { agents: { list: [] } })).toEqual([]);
    expect(changesRefusedToAgent(schema, {}, { agents: { list: [{ id: "pip" }] } })).toEqual(["agents.list[0].id"]);
  });

  test("of an account in the short form that was not written", () => {
    expect(changesRefusedToAgent(schema, {}, { channels: { telegram: { replyToMode: "all" } } })).toEqual([]);
  });

  test("that has the same fields in another order", () => {
    const turned = JSON.parse(JSON.stringify(BASE), (_, value: Json) =>
      isJsonObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
    );
    expect(changesRefusedToAgent(schema, BASE, turned)).toEqual([]);
  });
});

describe("a mark covers one field alone:", () => {
  const own = jsonSchemaOf(
    z.strictObject({
      open: z
        .strictObject({ shown: z.string().optional().meta(agentMayWrite("")), new: z.string().optional() })
        .optional()
        .meta(agentMayWrite("")),
      names: z.array(z.string()).default([]).meta(agentMayWrite("")),
      record: z
        .record(
          z.string(),
          z.strictObject({ shown: z.string().optional().meta(agentMayWrite("")), new: z.string().optional() }),
        )
        .optional()
        .meta(agentMayWrite("")),
      closedRecord: z
        .record(z.string(), z.strictObject({ shown: z.string().optional().meta(agentMayWrite("")) }))
        .default({}),
      either: z
        .union([z.strictObject({ a: z.string().meta(agentMayWrite("")) }), z.strictObject({ a: z.string() })])
        .prefault({ a: "" }),
    }),
  );
  const changed = (before: JsonObject, after: JsonObject) => changesRefusedToAgent(own, before, after);

  test("a new field below a marked object is closed", () => {
    expect(changed({}, { open: { shown: "x" } })).toEqual([]);
    expect(changed({}, { open: { shown: "x", new: "y" } })).toEqual(["open.new"]);
    expect(changed({ open: { new: "y" } }, {})).toEqual(["open.new"]);
  });

  test("a marked list of texts is written as a whole", () => {
    expect(changed({ names: ["a"] }, { names: ["b", "c"] })).toEqual([]);
    expect(changed({ names: ["a"] }, { names: [{ a: 1 }] })).toEqual(["names[0]"]);
    expect(changed({ names: ["a"] }, { names: [[], []] })).toEqual(["names"]);
  });

  test("an entry of a record needs the mark of the record and of its fields", () => {
    expect(changed({ record: {} }, { record: { x: { shown: "a" } } })).toEqual(["record.x"]);
    expect(changed({ record: { x: {} } }, { record: { x: { shown: "a" } } })).toEqual([]);
    expect(changed({ record: { x: {} } }, { record: { x: { new: "a" } } })).toEqual(["record.x.new"]);
    expect(changed({ closedRecord: {} }, { closedRecord: { x: {} } })).toEqual(["closedRecord.x"]);
    expect(changed({ closedRecord: { x: {} } }, { closedRecord: { x: { shown: "a" } } })).toEqual([]);
  });

  test("of several forms the closed one counts", () => {
    expect(changed({ either: { a: "1" } }, { either: { a: "2" } })).toEqual(["either.a"]);
  });
});

describe("patches at random", () => {
  /** Values that matter: those of the document, of other shapes, and those that take a field away. */
  const VALUES: Json[] = [
    null,
    "off",
    "full",
    true,
    0,
    [],
    {},
    ["*"],
    [null],
    [{ id: "main" }, { id: "main" }],
    [other],
  ];
  const NAMES = [
    "tools",
    "bash",
    "exec",
    "ask",
    "security",
    "default",
    "__proto__",
    "dmPolicy",
    "identity",
    "name",
    "timeFormat",
    "blockStreaming",
  ];

  /** A document without the fields that are open, found by their names. */
  function closedPart(document: Json): string {
    const OPEN = new Set(["name", "timeFormat", "blockStreaming", "identity"]);
    return JSON.stringify(document, (_, value: Json) => {
      if (!isJsonObject(value)) return value;
      const kept = Object.entries(value).filter(([name]) => !OPEN.has(name));
      return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  }

  function randomPatch(value: Json | undefined, random: () => number, depth: number): Json {
    if (depth === 0 || random() < 0.15) return pick(VALUES, random);
    if (Array.isArray(value)) {
      if (random() < 0.3) return pick(VALUES, random);
      const mutated = value.map((entry) =>
        random() < 0.5 ? entry : mergePatch(entry, randomPatch(entry, random, depth - 1)),
      );
      return random() < 0.3 ? mutated.toReversed() : mutated.slice(random() < 0.2 ? 1 : 0);
    }
    const names = [...(isJsonObject(value) ? Object.keys(value) : []), ...NAMES];
    const chosen = Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(names, random));
    const entries = chosen.map((name) => {
      const below = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      return [name, randomPatch(below, random, depth - 1)] as const;
    });
    return Object.fromEntries(entries);
  }

  test("that are let through change open fields only", () => {
    const counts = { passed: 0, refused: 0 };
    for (let seed = 1; seed <= 6000; seed++) {
      const patch = randomPatch(BASE, randomFrom(seed * 2_654_435_761), 6);
      const after = mergePatch(BASE, patch);
      if (!isJsonObject(after)) continue;
      if (changesRefusedToAgent(schema, BASE, after).length > 0) counts.refused++;
      else {
        counts.passed++;
        expect([seed, closedPart(after)]).toEqual([seed, closedPart(BASE)]);
      }
    }
    expect(counts.passed).toBeGreaterThan(100);
    expect(counts.refused).toBeGreaterThan(1000);
  });
});
