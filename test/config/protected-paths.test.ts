import { describe, expect, test } from "vitest";
import { mergePatch } from "../../src/config/merge-patch.ts";
import { isProtected, protectedChanges } from "../../src/config/protected-paths.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/lib/json.ts";
import { pick, randomFrom } from "../prompt/random.ts";

const BASE: JsonObject = {
  agents: {
    defaults: { model: "p/x", sandbox: { mode: "all" } },
    list: [
      { id: "main", tools: { exec: { ask: "always" } } },
      { id: "other", name: "Other" },
    ],
  },
  tools: { exec: { security: "allowlist", ask: "on-miss", timeoutSec: 60 }, deny: ["write"] },
  auth: { order: { openai: ["work"] } },
  budgets: { global: { runsPerDay: 10 } },
  commands: { ownerAllowFrom: ["telegram:1"] },
  channels: { telegram: { accounts: { default: { dmPolicy: "pairing", blockStreaming: true } } } },
  prompt: { productName: "Isopod" },
};

/** What a merge patch would change that is protected. */
function refused(patch: Json, base = BASE): string[] {
  const after = mergePatch(base, patch);
  return isJsonObject(after) ? protectedChanges(base, after) : ["(document)"];
}

describe("a change is refused by its path", () => {
  const main = { id: "main", tools: { exec: { ask: "always" } } };

  test.each<[string, Json, string]>([
    ["of what is asked before a command", { tools: { exec: { ask: "off" } } }, "tools.exec.ask"],
    ["of which commands run", { tools: { exec: { security: "full" } } }, "tools.exec.security"],
    ["under the old name", { tools: { bash: { ask: "off" } } }, "tools.bash"],
    [
      "of whether memory has an index, whose texts go to a provider",
      { agents: { list: [{ ...main, memorySearch: { enabled: true } }] } },
      "agents.list[0].memorySearch.enabled",
    ],
    [
      "of who is sent the texts of memory",
      { agents: { defaults: { memorySearch: { provider: "openai" } } } },
      "agents.defaults.memorySearch.provider",
    ],
    [
      "of what memory is made of",
      { agents: { list: [{ ...main, memorySearch: { sources: ["sessions"] } }] } },
      "agents.list[0].memorySearch.sources",
    ],
    ["that takes it away", { tools: { exec: { ask: null } } }, "tools.exec.ask"],
    ["that takes away what holds it", { tools: { exec: null } }, "tools.exec.security"],
    ["that takes away all of it", { tools: null }, "tools.exec.ask"],
    ["that puts something else in its place", { tools: "none" }, "tools.exec.ask"],
    ["that makes a list of it", { tools: [{ exec: { ask: "off" } }] }, "tools.exec.ask"],
    [
      "of one agent",
      { agents: { list: [{ id: "main", tools: { exec: { ask: "off" } } }] } },
      "agents.list[0].tools.exec.ask",
    ],
    [
      "of one agent under the old name",
      { agents: { list: [{ ...main, tools: { bash: {} } }] } },
      "agents.list[0].tools.bash",
    ],
    [
      "that leaves an agent with a policy out",
      { agents: { list: [{ id: "other" }] } },
      "agents.list[0].tools.exec.ask",
    ],
    [
      "that gives that agent another name",
      { agents: { list: [{ ...main, id: "mian" }] } },
      "agents.list[0].tools.exec.ask",
    ],
    [
      "that adds an agent with a policy",
      { agents: { list: [main, { id: "new", tools: { exec: { security: "full" } } }] } },
      "agents.list[1].tools.exec.security",
    ],
    ["that makes another agent the default", { agents: { list: [{ id: "other" }, main] } }, "agents.list"],
    ["that makes a record of the list", { agents: { list: { main: {} } } }, "agents.list[0].tools.exec.ask"],
    ["of a sandbox", { agents: { defaults: { sandbox: { mode: "off" } } } }, "agents.defaults.sandbox.mode"],
    [
      "of a workspace, which may be another's",
      { agents: { list: [main, { id: "other", workspace: "x" }] } },
      "agents.list[1].workspace",
    ],
    [
      "of who the owners are",
      { commands: { ownerAllowFrom: ["telegram:1", "telegram:2"] } },
      "commands.ownerAllowFrom",
    ],
    [
      "that adds an agent, which would be past the bounds of the others",
      { agents: { list: [main, { id: "other", name: "Other" }, { id: "free" }] } },
      "agents.list",
    ],
    ["that takes an agent away", { agents: { list: [main] } }, "agents.list"],
    [
      "of an expression that everybody's words are held against",
      { messages: { groupChat: { mentionPatterns: ["(a+)+$"] } } },
      "messages.groupChat.mentionPatterns",
    ],
    [
      "of such an expression of one agent",
      { agents: { list: [{ ...main, groupChat: { mentionPatterns: ["(a+)+$"] } }] } },
      "agents.list[0].groupChat.mentionPatterns",
    ],
    ["of who answers where", { bindings: [{ agentId: "other", match: { channel: "telegram" } }] }, "bindings"],
    [
      "of how many sub-agents there may be",
      { agents: { defaults: { subagents: { maxChildren: 50 } } } },
      "agents.defaults.subagents.maxChildren",
    ],
    [
      "of whether the web can be reached, and through whom",
      { tools: { web: { fetch: { enabled: true } } } },
      "tools.web",
    ],
    ["of whose folders skills come from", { skills: { load: { extraDirs: ["agents/other/"] } } }, "skills.load"],
    [
      "of how much is read of skills",
      { skills: { limits: { maxSkillFileBytes: 10_000_000 } } },
      "skills.limits.maxSkillFileBytes",
    ],
    ["of whether it is seen that skills have changed", { skills: { load: { watch: false } } }, "skills.load"],
    ["of a cap", { budgets: { global: { runsPerDay: 1000 } } }, "budgets.global.runsPerDay"],
    ["that adds a cap", { budgets: { perAgent: {} } }, "budgets.perAgent"],
    ["of keys", { auth: { order: { openai: [] } } }, "auth.order.openai"],
    [
      "of who may write",
      { channels: { telegram: { accounts: { default: { dmPolicy: "open" } } } } },
      "channels.telegram.accounts.default.dmPolicy",
    ],
    ["that adds an account", { channels: { telegram: { accounts: { more: {} } } } }, "channels.telegram.accounts.more"],
    [
      "of where a key is sent",
      { models: { providers: { openai: { baseUrl: "https://evil.test" } } } },
      "models.providers",
    ],
    ["of the token of hooks", { hooks: { token: { source: "env", id: "X" } } }, "hooks"],
    ["of whether a plugin takes part", { hooks: { internal: { enabled: false } } }, "hooks"],
    ["of what guards against injections", { security: { injection: { action: "log" } } }, "security"],
    ["of who shares a session", { session: { dmScope: "main" } }, "session.dmScope"],
    [
      "of a secret of a skill",
      { skills: { entries: { x: { apiKey: { source: "env", id: "X" } } } } },
      "skills.entries.x.apiKey",
    ],
    [
      "of whether a skill that has secrets may be used",
      { skills: { entries: { x: { enabled: true } } } },
      "skills.entries.x.enabled",
    ],
    ["of which bundled skills may be used", { skills: { allowBundled: ["x"] } }, "skills.allowBundled"],
    ["of which skills agents may use", { agents: { defaults: { skills: ["x"] } } }, "agents.defaults.skills"],
    ["of whose signatures count", { skills: { install: { requireSignature: false } } }, "skills.install"],
    ["of the document itself", "none", "(document)"],
  ])("%s", (_, patch, path) => {
    expect(refused(patch)).toContain(path);
  });

  test("once for all that is below it", () => {
    expect(refused({ security: { injection: { action: "log" } }, auth: null })).toEqual(["auth", "security"]);
  });
});

test("a change of very many fields is refused in no time", () => {
  const groups = (mention: boolean) =>
    Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`-${at}`, { requireMention: mention }]));
  const of = (mention: boolean) => ({ channels: { telegram: { accounts: { default: { groups: groups(mention) } } } } });
  expect(protectedChanges(of(true), of(false))).toHaveLength(20_000);
  expect(protectedChanges(of(true), {})).toEqual(["channels"]);
}, 5000);

describe("a change is let through", () => {
  test.each<[string, Json]>([
    ["of a field that guards nothing", { prompt: { productName: "Other" }, agents: { defaults: { model: "p/y" } } }],
    ["beside what is protected", { tools: { exec: { timeoutSec: 5 } } }],
    ["of how long the list of skills may be", { skills: { limits: { maxSkillsPromptChars: 9000 } } }],
    ["of a skill's own fields", { skills: { entries: { x: { config: { unit: "celsius" } } } } }],
    ["of an account's manners", { channels: { telegram: { accounts: { default: { blockStreaming: null } } } } }],
    [
      "of an agent that stays as it was otherwise",
      { agents: { list: [{ id: "main", name: "Pip", tools: { exec: { ask: "always" } } }, { id: "other" }] } },
    ],
    ["that says again what holds", BASE],
    ["that is empty", {}],
  ])("%s", (_, patch) => {
    expect(refused(patch)).toEqual([]);
  });

  test("that says of the only agent, which nobody has named, what it is called", () => {
    expect(protectedChanges({}, { agents: { list: [{ id: "main", name: "Pip" }] } })).toEqual([]);
  });

  test("that has the same fields in another order", () => {
    const turned = JSON.parse(JSON.stringify(BASE), (_, value: Json) =>
      isJsonObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
    );
    expect(protectedChanges(BASE, turned)).toEqual([]);
  });
});

test("a field of a prototype is a field like any other, and hides nothing", () => {
  const patch = JSON.parse(
    '{"__proto__": {"tools": {"exec": {"ask": "off"}}}, "tools": {"__proto__": {"exec": {"ask": "off"}}}}',
  );
  expect(refused(patch)).toEqual([]);
  const after = mergePatch(BASE, patch) as any;
  expect(after.tools.exec.ask).toBe("on-miss");
  expect(JSON.stringify(after)).toContain('"ask":"on-miss"');
});

describe("whatever is patched at random", () => {
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
    [{ id: "other" }],
  ];

  /** What is protected, read off a document by hand. */
  function guarded(document: any): string {
    const list: any[] = Array.isArray(document.agents?.list) ? document.agents.list : [];
    const ofAgent = (id: string) => {
      const entry = list.find((one) => one?.id === id);
      return [entry?.tools?.exec?.ask, entry?.tools?.exec?.security, entry?.tools?.bash, entry?.workspace];
    };
    const { tools, auth, budgets, commands } = document;
    const account = document.channels?.telegram?.accounts?.default;
    return JSON.stringify([
      [tools?.exec?.ask, tools?.exec?.security, tools?.bash, tools?.deny, auth, budgets, commands],
      [ofAgent("main"), ofAgent("other"), list.find((one) => one?.default)?.id ?? list[0]?.id],
      [account?.dmPolicy, account?.botToken, document.agents?.defaults?.sandbox?.mode, document.security],
    ]);
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
    const known = isJsonObject(value) ? Object.keys(value) : [];
    const names = [
      ...known,
      "tools",
      "bash",
      "exec",
      "ask",
      "security",
      "workspace",
      "default",
      "__proto__",
      "dmPolicy",
    ];
    const chosen = Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(names, random));
    const entries = chosen.map((name) => {
      const below = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      return [name, randomPatch(below, random, depth - 1)] as const;
    });
    return Object.fromEntries(entries);
  }

  test("what is let through changes nothing that is protected", () => {
    let passed = 0;
    let refusals = 0;
    for (let seed = 1; seed <= 6000; seed++) {
      const patch = randomPatch(BASE, randomFrom(seed * 2_654_435_761), 6);
      const after = mergePatch(BASE, patch);
      if (!isJsonObject(after)) continue;
      if (protectedChanges(BASE, after).length > 0) refusals++;
      else {
        passed++;
        expect([seed, JSON.stringify(patch), guarded(after)]).toEqual([seed, JSON.stringify(patch), guarded(BASE)]);
      }
    }
    expect(passed).toBeGreaterThan(300);
    expect(refusals).toBeGreaterThan(300);
  });
});

test("what is below a protected field is protected, and what is above is not", () => {
  const is = (path: string) => isProtected(path.split("."));
  expect([is("auth"), is("auth.order.openai"), is("agents.list.*.tools.exec.ask")]).toEqual([true, true, true]);
  expect([is("agents"), is("tools"), is("agents.list"), is("channels.telegram.accounts.x.blockStreaming")]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
