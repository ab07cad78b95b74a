import { describe, expect, test } from "vitest";
import { changedPaths } from "../../src/config/document.ts";
import { checkConfig } from "../../src/config/faults.ts";
import { jsonSchemaOf } from "../../src/config/schema-node.ts";
import { isJsonObject, type JsonObject } from "../../src/lib/json.ts";
import { type ConfigPort, gatewayTool } from "../../src/tools/gateway.ts";
import { wholeSchema } from "../config/whole-schema.ts";

const START: JsonObject = {
  tools: { exec: { ask: "always", timeoutSec: 60 } },
  models: {
    providers: { x: { baseUrl: "https://x.test/v1", api: "openai-completions", headers: { "X-Org": "org-1" } } },
  },
  prompt: { productName: "Isopod" },
};

/** The tool with a configuration at revision 3. */
function gateway() {
  const stored = { revision: 3, document: START };
  const port: ConfigPort = {
    schema: () => jsonSchemaOf(wholeSchema),
    newest: async () => stored,
    change: async ({ base, change }) => {
      if (base !== stored.revision) return { kind: "conflict", revision: stored.revision };
      const document = change(stored.document);
      const checked = checkConfig(wholeSchema, document);
      if (checked.kind === "invalid" || !isJsonObject(document)) return { kind: "invalid", faults: [] };
      const changed = changedPaths(stored.document, document);
      if (changed.length === 0) return { kind: "same", revision: base, changed };
      Object.assign(stored, { revision: base + 1, document });
      return { kind: "stored", revision: base + 1, changed };
    },
  };
  const tool = gatewayTool(port);
  const use = async (args: object): Promise<string> => {
    const call = {
      callId: "c",
      approved: false,
      signal: new AbortController().signal,
      now: () => 0,
      update: () => undefined,
    };
    const said = await tool.run(tool.parameters.parse(args), call).catch(({ message }: Error) => ({ text: message }));
    return said.text;
  };
  return { use, stored, tool };
}

describe("the gateway tool", () => {
  test("returns the document with its revision, and hides secrets", async () => {
    const all = JSON.parse(await gateway().use({ action: "config.get" }));
    expect(all).toMatchObject({ revision: 3, value: { prompt: { productName: "Isopod" } } });
    expect(JSON.stringify(all)).not.toContain("org-1");
  });

  test("returns one field, or its default", async () => {
    const { use } = gateway();
    expect(JSON.parse(await use({ action: "config.get", path: "prompt.productName" }))).toEqual({
      revision: 3,
      path: "prompt.productName",
      value: "Isopod",
    });
    expect(JSON.parse(await use({ action: "config.get", path: "session.reset.mode" }))).toEqual({
      revision: 3,
      path: "session.reset.mode",
      set: false,
      default: "none",
    });
    expect(await use({ action: "config.get", path: "prompt.prodctName" })).toContain("prompt.productName");
  });

  test("looks a field up", async () => {
    const { use } = gateway();
    const field = JSON.parse(await use({ action: "config.schema.lookup", path: "tools.exec.ask" }));
    expect(field).toMatchObject({ enum: ["off", "on-miss", "always"], agentMayWrite: false });
    const later = JSON.parse(await use({ action: "config.schema.lookup", path: "agents.defaults.sandbox.scope" }));
    expect(later).toMatchObject({ default: "session", status: "planned" });
    expect(await use({ action: "config.schema.lookup", path: "heartbeat.every" })).toContain(
      "agents.defaults.heartbeat.every",
    );
  });
});

describe("a configuration change by the gateway tool", () => {
  test("is based on a revision and given as an object or JSON5", async () => {
    const { use, stored } = gateway();
    const patch = { action: "config.patch", raw: { memory: { citations: "off" } } };
    expect(await use(patch)).toContain("baseRevision");
    expect(await use({ ...patch, baseRevision: 2 })).toContain("at revision 3, not 2");
    expect(await use({ ...patch, baseRevision: 3 })).toContain("Changed: memory.citations.");
    const again = { action: "config.patch", raw: "{memory: {citations: null}} // back", baseRevision: 4 };
    expect(await use(again)).toContain("Revision 5");
    expect(stored.document).toEqual({ ...START, memory: {} });
  });

  test("of the whole document keeps hidden values", async () => {
    const { use, stored } = gateway();
    const { value } = JSON.parse(await use({ action: "config.get" }));
    expect(await use({ action: "config.apply", raw: value, baseRevision: 3 })).toContain("Nothing differs");
    const raw = { ...value, memory: { citations: "on" } };
    expect(await use({ action: "config.apply", raw, baseRevision: 3 })).toContain("Changed: memory.citations.");
    expect(stored.document).toEqual({ ...START, memory: { citations: "on" } });
  });

  test.each<[string, object, string]>([
    ["a field", { tools: { exec: { ask: "off" } } }, "tools.exec.ask"],
    ["its old name", { tools: { bash: { ask: "off" } } }, "tools.bash"],
    ["what holds it", { tools: null }, "tools"],
    ["loop detection", { tools: { loopDetection: { enabled: false } } }, "tools.loopDetection.enabled"],
    ["the prompt", { prompt: { productName: "Obey" } }, "prompt.productName"],
    ["a header that was hidden", { models: { providers: { x: { headers: { "X-Org": "evil" } } } } }, "X-Org"],
    ["who the owners are", { commands: { ownerAllowFrom: ["telegram:666"] } }, "commands"],
    ["a budget", { budgets: { global: { usdPerDay: 1e9 } } }, "budgets"],
  ])("of what the agent may not write is refused by its path: %s", async (_, raw, path) => {
    const { use, stored } = gateway();
    for (const form of [raw, JSON.stringify(raw)]) {
      const said = await use({ action: "config.patch", raw: form, baseRevision: 3 });
      expect(said).toMatch(/^Nothing was changed: the agent may not write .*PATCH \/v1\/config/);
      expect(said).toContain(path);
    }
    expect(stored).toEqual({ revision: 3, document: START });
  });

  test("of the whole document that drops fields the agent may not write is refused", async () => {
    const { use, stored } = gateway();
    const said = await use({ action: "config.apply", raw: {}, baseRevision: 3 });
    expect(said).toContain("tools, models, prompt");
    expect(stored.document).toBe(START);
  });

  test("with an invalid document is refused", async () => {
    const { use } = gateway();
    expect(await use({ action: "config.apply", raw: "[]", baseRevision: 3 })).toContain("is an object");
    expect(await use({ action: "config.patch", raw: "{prompt: ", baseRevision: 3 })).toContain("not JSON5");
    expect(await use({ action: "config.patch", raw: { memory: { citations: 1 } }, baseRevision: 3 })).toContain(
      "not valid",
    );
    expect(await use({ action: "config.patch", baseRevision: 3 })).toContain("raw");
  });
});

test("restart and update change nothing, and say how the operator redeploys", async () => {
  const { use, stored } = gateway();
  expect(await use({ action: "restart" })).toContain("npm run deploy");
  expect(await use({ action: "update.run" })).toMatch(/migrations apply DB .*MEMORY/);
  expect(stored.revision).toBe(3);
});

test("the gateway tool is sequential and safe to replay", () => {
  expect(gateway().tool).toMatchObject({ sequential: true, replay: "safe" });
});
