import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  agentIds,
  agentOf,
  contextLimitsOf,
  defaultAgentId,
  heartbeatOf,
  modelAliases,
  resolveAlias,
  sharingAgents,
} from "../../src/config/agents.ts";
import { configSchema } from "../../src/config/config-schema.ts";

const schema = configSchema(z.unknown(), z.unknown(), z.unknown());

function configOf(config: object) {
  return schema.parse({ models: {}, channels: {}, hooks: {}, ...config });
}

/** What is wrong with a configuration. */
function faults(config: object): string {
  const { error } = schema.safeParse({ models: {}, channels: {}, hooks: {}, ...config });
  return error === undefined ? "" : z.prettifyError(error);
}

describe("an agent's models", () => {
  const shared = { primary: "p/shared", fallbacks: ["p/spare"] };

  test.each([
    [undefined, { model: "p/shared", fallbacks: ["p/spare"] }],
    ["p/own", { model: "p/own", fallbacks: ["p/spare"] }],
    [{ primary: "p/own" }, { model: "p/own", fallbacks: [] }],
    [
      { primary: "p/own", fallbacks: ["p/1", "p/2"] },
      { model: "p/own", fallbacks: ["p/1", "p/2"] },
    ],
  ])("are its own over the defaults: %j", (model, expected) => {
    const entry = { id: "main", ...(model !== undefined && { model }) };
    expect(agentOf(configOf({ agents: { defaults: { model: shared }, list: [entry] } }), "main")).toMatchObject(
      expected,
    );
  });

  test("are those of the deployment where nothing is configured", () => {
    expect(agentOf(configOf({}), "main")).toMatchObject({ model: undefined, fallbacks: [] });
  });

  test("may be named by an alias", () => {
    const models = { "p/large": { alias: "Best" }, "p/small": {} };
    const config = configOf({ agents: { defaults: { models, model: { primary: "best", fallbacks: ["p/small"] } } } });
    expect(agentOf(config, "main")).toMatchObject({ model: "p/large", fallbacks: ["p/small"] });
    expect([resolveAlias(config, "BEST"), resolveAlias(config, "worst")]).toEqual(["p/large", "worst"]);
    expect(modelAliases(config)).toEqual([{ alias: "Best", model: "p/large" }]);
  });
});

describe("a configuration is refused", () => {
  const apiKey = { source: "env", id: "KEY" };

  test("whose key order names an unknown profile or one of another provider", () => {
    const profiles = { work: { provider: "openai", apiKey }, other: { provider: "xai", apiKey } };
    const order = { openai: ["work", "home", "other"] };
    const said = faults({ auth: { profiles, order } });
    expect(said).toContain("'home' is no profile of 'openai'");
    expect(said).toContain("auth.order.openai[1]");
    expect(said).toContain("auth.order.openai[2]");
    expect(faults({ auth: { profiles, order: { openai: ["work"] } } })).toBe("");
  });

  test("that gives two models one alias", () => {
    const models = { "p/1": { alias: "Best" }, "p/2": { alias: "best" } };
    expect(faults({ agents: { defaults: { models } } })).toContain("'best' is another model's, too");
  });

  test("whose budget names an agent that is not configured", () => {
    const list = [{ id: "main" }, { id: "other" }];
    const said = faults({ agents: { list }, budgets: { agents: { other: {}, othre: { runsPerDay: 1 } } } });
    expect(said).toContain("no agent 'othre' is configured; there is: main, other");
    expect(said).toContain("at budgets.agents.othre");
    expect(said).not.toContain("budgets.agents.other\n");
    expect(faults({ budgets: { agents: { main: {} } } })).toBe("");
    expect(faults({ agents: { list: [{ id: "other" }] }, budgets: { agents: { main: {} } } })).toContain("'main'");
  });

  test("that has two agents of one id", () => {
    const said = faults({ agents: { list: [{ id: "a" }, { id: "b" }, { id: "a", default: true }] } });
    expect(said).toContain("'a' is another agent's, too");
    expect(said).toContain("at agents.list[2].id");
    expect(said).not.toContain("list[0]");
  });
});

describe("agents of one configuration", () => {
  const list = Array.from({ length: 300 }, (_, n) => ({ id: `a${n}`, ...(n % 2 === 0 && { heartbeat: {} }) }));

  test("are all resolved in linear time: each entry is read a fixed number of times", () => {
    const config = configOf({ agents: { list } });
    let reads = 0;
    const counted = new Proxy(config.agents.list, {
      get(target, name, receiver) {
        if (typeof name === "string" && /^\d+$/.test(name)) reads++;
        return Reflect.get(target, name, receiver);
      },
    });
    const watched = { ...config, agents: { ...config.agents, list: counted } };
    for (const id of agentIds(watched)) {
      agentOf(watched, id);
      heartbeatOf(watched, id);
      contextLimitsOf(watched, id);
      sharingAgents(watched, id);
    }
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThanOrEqual(10 * list.length);
  });

  test("come from the configuration that is passed, not from an earlier one", () => {
    const [before, after] = [
      configOf({ agents: { list: [{ id: "a" }] } }),
      configOf({ agents: { list: [{ id: "b" }] } }),
    ];
    expect([defaultAgentId(before), defaultAgentId(after)]).toEqual(["a", "b"]);
    expect(agentIds(after)).toEqual(["b"]);
    expect(() => agentOf(after, "a")).toThrow("agent 'a' is not configured");
  });

  test("are listed with the default agent first", () => {
    expect(agentIds(configOf({ agents: { list: [{ id: "a" }, { id: "b", default: true }] } }))).toEqual(["b", "a"]);
    expect(agentIds(configOf({}))).toEqual(["main"]);
  });
});

describe("heartbeats", () => {
  /** How each of the agents `a` (the default one) and `b` beats. */
  function beats(defaults: object, a: object = {}, b: object = {}) {
    const agents = {
      defaults,
      list: [
        { id: "a", ...a },
        { id: "b", ...b },
      ],
    };
    const config = configOf({ agents });
    return [heartbeatOf(config, "a")?.every, heartbeatOf(config, "b")?.every];
  }

  test("no agent has a heartbeat where none is configured", () => {
    expect(beats({})).toEqual([undefined, undefined]);
  });

  test("a shared heartbeat is every agent's, every 30 minutes unless it sets an interval", () => {
    expect(beats({ heartbeat: {} })).toEqual(["30m", "30m"]);
    expect(beats({ heartbeat: { every: "2h" } })).toEqual(["2h", "2h"]);
  });

  test("once an agent has its own heartbeat only agents with one have heartbeats, over the shared settings", () => {
    expect(beats({ heartbeat: { every: "2h" } }, {}, { heartbeat: {} })).toEqual([undefined, "2h"]);
    expect(beats({ heartbeat: { every: "2h" } }, { heartbeat: { every: "1h" } }, { heartbeat: {} })).toEqual([
      "1h",
      "2h",
    ]);
    expect(beats({}, {}, { heartbeat: {} })).toEqual([undefined, "30m"]);
  });

  test("an interval of 0m is off, and still counts as a heartbeat of its own", () => {
    expect(beats({ heartbeat: { every: "0m" } })).toEqual([undefined, undefined]);
    expect(beats({ heartbeat: {} }, {}, { heartbeat: { every: "00h" } })).toEqual([undefined, undefined]);
  });

  test("hours that an agent leaves open get their defaults", () => {
    const config = configOf({ agents: { list: [{ id: "a", heartbeat: { activeHours: { start: "08:00" } } }] } });
    expect(heartbeatOf(config, "a")?.activeHours).toEqual({ start: "08:00", end: "24:00" });
  });
});
