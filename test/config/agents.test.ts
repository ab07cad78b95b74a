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

describe("whom an agent asks", () => {
  const shared = { primary: "p/shared", fallbacks: ["p/spare"] };

  test.each([
    [undefined, { model: "p/shared", fallbacks: ["p/spare"] }],
    ["p/own", { model: "p/own", fallbacks: ["p/spare"] }],
    [{ primary: "p/own" }, { model: "p/own", fallbacks: [] }],
    [
      { primary: "p/own", fallbacks: ["p/1", "p/2"] },
      { model: "p/own", fallbacks: ["p/1", "p/2"] },
    ],
  ])("with %j of its own, over the defaults", (model, expected) => {
    const entry = { id: "main", ...(model !== undefined && { model }) };
    expect(agentOf(configOf({ agents: { defaults: { model: shared }, list: [entry] } }), "main")).toMatchObject(
      expected,
    );
  });

  test("is nobody in particular where nothing is configured", () => {
    expect(agentOf(configOf({}), "main")).toMatchObject({ model: undefined, fallbacks: [] });
  });

  test("may be said by alias", () => {
    const models = { "p/large": { alias: "Best" }, "p/small": {} };
    const config = configOf({ agents: { defaults: { models, model: { primary: "best", fallbacks: ["p/small"] } } } });
    expect(agentOf(config, "main")).toMatchObject({ model: "p/large", fallbacks: ["p/small"] });
    expect([resolveAlias(config, "BEST"), resolveAlias(config, "worst")]).toEqual(["p/large", "worst"]);
    expect(modelAliases(config)).toEqual([{ alias: "Best", model: "p/large" }]);
  });
});

describe("a configuration is refused", () => {
  const apiKey = { source: "env", id: "KEY" };

  test("whose order names a profile that is not there, or is another provider's", () => {
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

  test("whose budget is of an agent that is not there, which would hold for nobody", () => {
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

  test("are all resolved with a number of reads of the list that grows as the list does", () => {
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

  test("are those of the configuration that is asked, not of the one before it", () => {
    const [before, after] = [
      configOf({ agents: { list: [{ id: "a" }] } }),
      configOf({ agents: { list: [{ id: "b" }] } }),
    ];
    expect([defaultAgentId(before), defaultAgentId(after)]).toEqual(["a", "b"]);
    expect(agentIds(after)).toEqual(["b"]);
    expect(() => agentOf(after, "a")).toThrow("agent 'a' is not configured");
  });

  test("begin with the default one", () => {
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

  test("without any block nothing beats", () => {
    expect(beats({})).toEqual([undefined, undefined]);
  });

  test("a block for all lets the default agent beat, every 30 minutes where it does not say", () => {
    expect(beats({ heartbeat: {} })).toEqual(["30m", undefined]);
    expect(beats({ heartbeat: { every: "2h" } })).toEqual(["2h", undefined]);
  });

  test("where an agent has a block of its own only those beat that have one, over what all share", () => {
    expect(beats({ heartbeat: { every: "2h" } }, {}, { heartbeat: {} })).toEqual([undefined, "2h"]);
    expect(beats({ heartbeat: { every: "2h" } }, { heartbeat: { every: "1h" } }, { heartbeat: {} })).toEqual([
      "1h",
      "2h",
    ]);
    expect(beats({}, {}, { heartbeat: {} })).toEqual([undefined, "30m"]);
  });

  test("0m is off, and a block that is off is still a block", () => {
    expect(beats({ heartbeat: { every: "0m" } })).toEqual([undefined, undefined]);
    expect(beats({ heartbeat: {} }, {}, { heartbeat: { every: "00h" } })).toEqual([undefined, undefined]);
  });

  test("what one agent leaves out of its hours is filled in", () => {
    const config = configOf({ agents: { list: [{ id: "a", heartbeat: { activeHours: { start: "08:00" } } }] } });
    expect(heartbeatOf(config, "a")?.activeHours).toEqual({ start: "08:00", end: "24:00" });
  });
});
