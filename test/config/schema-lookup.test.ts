import { describe, expect, test } from "vitest";
import { idleFields, lookUpField } from "../../src/config/schema-lookup.ts";
import { jsonSchemaOf, partsOf, type SchemaNode } from "../../src/config/schema-node.ts";
import { wholeSchema } from "./whole-schema.ts";

const schema = jsonSchemaOf(wholeSchema);

function field(path: string) {
  const found = lookUpField(schema, path);
  if (found.kind === "unknown") throw new Error(`${path} is not known; near: ${found.nearest.join(", ")}`);
  return found.field;
}

function nearest(path: string): string[] {
  const found = lookUpField(schema, path);
  return found.kind === "unknown" ? found.nearest : [];
}

describe("a field that is looked up", () => {
  test("shows its type, description, default and bounds", () => {
    expect(field("agents.defaults.bootstrapMaxChars")).toEqual({
      path: "agents.defaults.bootstrapMaxChars",
      type: "integer",
      description: "Most characters of one workspace file.",
      default: 20_000,
      bounds: { exclusiveMinimum: 0 },
      agentMayWrite: false,
    });
    expect(field("session.reset.atHour").bounds).toEqual({ minimum: 0, maximum: 23 });
    expect(field("agents.defaults.subagents.delegationMode").enum).toEqual(["suggest", "prefer"]);
  });

  test("shows its children with their descriptions", () => {
    const { children } = field("session.reset");
    expect(children?.map(({ name }) => name)).toEqual(["mode", "atHour", "idleMinutes"]);
    expect(children?.[2]).toEqual({ name: "idleMinutes", description: "`idle`: how long the pause is." });
    expect(field("").children?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["agents", "bindings", "channels", "models", "hooks", "prompt"]),
    );
  });

  test("may be in a list entry, by index or for all entries", () => {
    for (const path of ["agents.list[0].model", "agents.list[].model", "agents.list.0.model", "agents.list.*.model"]) {
      expect(field(path)).toMatchObject({
        type: "string or object",
        children: [{ name: "primary" }, { name: "fallbacks" }],
      });
    }
    expect(field("agents.list").type).toBe("list of object");
    expect(nearest("agents.list.main.model")).toContain("agents.list.*.model");
  });

  test("may be in a record entry, by name or for all names, quoted if the name has dots", () => {
    for (const account of ["main", "*", '["main"]']) {
      const path = `channels.telegram.accounts${account.startsWith("[") ? account : `.${account}`}.dmPolicy`;
      expect(field(path)).toMatchObject({ default: "pairing", enum: ["pairing", "allowlist", "open", "disabled"] });
    }
    expect(field('agents.defaults.models["openai/gpt-5.1"].alias').description).toBe("Its short name.");
    expect(field("channels.telegram.dmPolicy").default).toBe("pairing");
  });

  test("shows whether the agent may write it", () => {
    expect(field("tools.exec.ask").agentMayWrite).toBe(false);
    expect(field("budgets.perAgent.runsPerDay").agentMayWrite).toBe(false);
    expect(field("agents.defaults.timeFormat").agentMayWrite).toBe(true);
    const { agentMayWrite: whole, children } = field("agents.list.*.identity");
    expect(whole).toBe(true);
    const open = children?.flatMap((child) => (child.agentMayWrite ? [child.name] : []));
    expect(open).toEqual(["name", "theme", "emoji"]);
  });

  test("shows whether it is a secret", () => {
    expect(field("skills.entries.*.apiKey").secret).toBe(true);
    expect(field("tools.exec.ask").secret).toBeUndefined();
  });

  test("shows whether it has no effect", () => {
    expect(field("agents.list[].agentDir").status).toBe("unused");
    expect(field("agents.defaults.sandbox.scope").status).toBe("planned");
    expect(field("session.dmScope").status).toBeUndefined();
  });

  test("that does not exist is answered with the nearest paths", () => {
    expect(nearest("agents.defaults.modle")).toContain("agents.defaults.model");
    expect(nearest("heartbeat.every")).toContain("agents.defaults.heartbeat.every");
    expect(nearest("agents.defaults.thinkingDefault.x")).toEqual([]);
    expect(nearest("a..b")).toEqual([]);
    expect(lookUpField(schema, "__proto__").kind).toBe("unknown");
    expect(lookUpField(schema, "constructor.name").kind).toBe("unknown");
  });
});

describe("every field", () => {
  function everyPath(node: SchemaNode, path: string): string[] {
    return partsOf(node).flatMap(([name, part]) => {
      const at = path === "" ? name : `${path}.${name}`;
      return [at, ...everyPath(part, at)];
    });
  }

  test("is found by its path, and by those of its parent's children", () => {
    const paths = everyPath(schema, "");
    expect(paths.length).toBeGreaterThan(300);
    for (const path of paths) expect(field(path).path).toBe(path);
  });

  test("that is a secret, or says where one is sent, is closed to the agent", () => {
    const secrets = everyPath(schema, "").filter((path) => path.endsWith(".source") && field(path).enum?.[0] === "env");
    const parents = secrets.map((path) => path.slice(0, -".source".length));
    expect(parents).toContain("skills.entries.*.env.*");
    expect(parents.filter((path) => field(path).agentMayWrite)).toEqual([]);
    const addresses = everyPath(schema, "").filter((path) => /\.(?:baseUrl|apiBase|headers)$/.test(path));
    expect(addresses).toContain("channels.telegram.accounts.*.apiBase");
    expect(addresses.filter((path) => field(path).agentMayWrite)).toEqual([]);
  });
});

describe("a setting without effect", () => {
  test("is reported field by field", () => {
    const document = {
      agents: {
        defaults: { heartbeat: { every: "5m" }, workspace: "a", sandbox: { scope: "agent" } },
        list: [{ id: "main", agentDir: "~/x" }],
      },
      skills: { allowBundled: ["a", "b"], entries: { github: { enabled: false } } },
      session: { dmScope: "main" },
      tools: { exec: { timeoutSec: 5, backgroundMs: 10 } },
    };
    expect(idleFields(schema, document)).toEqual([
      { path: "agents.defaults.sandbox.scope", status: "planned" },
      { path: "agents.list[0].agentDir", status: "unused" },
    ]);
    expect(idleFields(schema, {})).toEqual([]);
  });
});
