import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/tool.ts";
import type { AnyChannel } from "../../src/channels/channel.ts";
import { IsopodError } from "../../src/lib/errors.ts";
import { assemble } from "../../src/plugins/assembly.ts";
import { hooksConfig } from "../../src/plugins/config.ts";
import type { HookContext } from "../../src/plugins/hook.ts";
import { createHooks } from "../../src/plugins/hook-runner.ts";
import { PLUGINS } from "../../src/plugins/index.ts";
import { type AnyPlugin, definePlugin } from "../../src/plugins/plugin.ts";
import { pluginView } from "../../src/plugins/view.ts";

const tool = (name: string) =>
  defineTool({
    name,
    summary: "Does it",
    description: "Does it.",
    parameters: z.strictObject({}),
    replay: "safe",
    sequential: false,
    run: async () => ({ text: "" }),
  });

const greeter = definePlugin({
  name: "greeter",
  summary: "Greets",
  settings: z.strictObject({ words: z.number().int().default(3).describe("How many.") }),
  hooks: { agent_end: { run: () => undefined }, before_tool_call: { priority: 5, run: () => undefined } },
  tools: [tool("greet")],
  sections: {
    stable: [{ name: "manners", modes: ["full"], render: () => "## Manners" }],
    dynamic: [{ name: "mood", modes: ["full", "minimal"], render: () => "## Mood" }],
  },
  providers: { house: { baseUrl: "http://127.0.0.1:1/v1", api: "openai-completions", headers: {}, models: [] } },
  skills: ["---\nname: wave\ndescription: Waves.\n---\nWave."],
});
const quiet = definePlugin({ name: "quiet", summary: "Says nothing" });

/** Puts plugins together as a configuration says. */
function assembled(plugins: readonly AnyPlugin[], hooks: unknown = {}) {
  return assemble(plugins, hooksConfig(plugins).parse(hooks));
}

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof IsopodError || error instanceof z.ZodError) return error.message;
  }
  throw new Error("Nothing was refused.");
}

describe("the configuration of plugins", () => {
  test("enables every plugin with its default settings if it is empty", () => {
    expect(hooksConfig([greeter, quiet]).parse(undefined)).toMatchObject({
      internal: { enabled: true, entries: { greeter: { enabled: true, words: 3 }, quiet: { enabled: true } } },
    });
  });

  test("refuses unknown plugins, unknown settings and wrong types by name", () => {
    const refused = (entries: object) => refusalOf(() => hooksConfig([greeter]).parse({ internal: { entries } }));
    expect(refused({ greter: {} })).toContain("greter");
    expect(refused({ greeter: { wrds: 1 } })).toContain("wrds");
    expect(refused({ greeter: { words: "many" } })).toContain("words");
    expect(refusalOf(() => hooksConfig([greeter]).parse({ internl: {} }))).toContain("internl");
  });

  test("has a description and a default for every field of built-in plugins", () => {
    const schema = hooksConfig(PLUGINS);
    expect(schema.safeParse(undefined).success).toBe(true);
    const fields = JSON.stringify(z.toJSONSchema(schema, { io: "input" })).match(/"type":"(boolean|integer)"/g) ?? [];
    const sentences = JSON.stringify(z.toJSONSchema(schema, { io: "input" })).match(/"description":/g) ?? [];
    expect(sentences.length).toBeGreaterThan(fields.length);
  });
});

describe("assembling plugins", () => {
  test("combines the enabled ones, with sections under their plugin's name", () => {
    const { tools, sections, providers } = assembled([greeter, quiet]);
    expect(tools.map(({ name }) => name)).toEqual(["greet"]);
    expect([...sections.stable, ...sections.dynamic].map(({ name }) => name)).toEqual([
      "greeter/manners",
      "greeter/mood",
    ]);
    expect(Object.keys(providers)).toEqual(["house"]);
  });

  test("leaves out disabled ones, or all of them", () => {
    for (const hooks of [
      { internal: { entries: { greeter: { enabled: false } } } },
      { internal: { enabled: false } },
    ]) {
      const assembly = assembled([greeter], hooks);
      expect(assembly).toEqual({
        hooks: [],
        tools: [],
        sections: { stable: [], dynamic: [] },
        channels: [],
        providers: {},
        skills: [],
        contributionFor: expect.any(Function),
      });
    }
  });

  test("passes the configured settings without the switch", async () => {
    const seen: unknown[] = [];
    const look = { agent_end: { run: (_: unknown, { settings }: HookContext) => void seen.push(settings) } };
    const plugins = [definePlugin({ ...greeter, hooks: look })];
    const hooks = createHooks(assembled(plugins, { internal: { entries: { greeter: { words: 9 } } } }).hooks, {
      log: () => undefined,
    });
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    await hooks.run("agent_end", { status: "ok", messages: [], usage, durationMs: 1 }, () => ({}) as never);
    expect(seen).toEqual([{ words: 9 }]);
  });

  test("refuses a tool or plugin whose name is taken, also by a reserved tool", () => {
    for (const name of ["write", "exec", "update_plan"]) {
      const thief = definePlugin({ name: "thief", summary: "Steals", tools: [tool(name)] });
      expect(refusalOf(() => assembled([thief]))).toBe(`there are two tools '${name}'`);
    }
    const bridge = definePlugin({ name: "bridge", summary: "Talks", channels: [{ id: "telegram" } as AnyChannel] });
    expect(refusalOf(() => assembled([bridge]))).toBe("there are two channels 'telegram'");
    const second = definePlugin({ name: "second", summary: "Greets, too", tools: [tool("greet")] });
    expect(refusalOf(() => assembled([greeter, second]))).toBe("there are two tools 'greet'");
    expect(refusalOf(() => assembled([quiet, quiet]))).toBe("there are two plugins 'quiet'");
  });
});

test("a plugin's view lists all its contributions by name", () => {
  expect(pluginView(greeter, hooksConfig([greeter]).parse({ internal: { enabled: false } }))).toEqual({
    name: "greeter",
    summary: "Greets",
    enabled: false,
    hooks: [
      { event: "agent_end", priority: 0 },
      { event: "before_tool_call", priority: 5 },
    ],
    tools: ["greet"],
    sections: [
      { name: "manners", layer: "stable", modes: ["full"] },
      { name: "mood", layer: "dynamic", modes: ["full", "minimal"] },
    ],
    channels: [],
    providers: ["house"],
    skills: ["wave"],
  });
});
