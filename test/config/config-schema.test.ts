import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkConfig } from "../../src/config/faults.ts";
import { planned } from "../../src/config/field-marks.ts";
import { overridesOf, withOverrides } from "../../src/config/overrides.ts";
import { wholeSchema as schema } from "./whole-schema.ts";

interface Node {
  description?: string;
  properties?: Record<string, Node>;
  required?: string[];
  default?: unknown;
  items?: Node;
  additionalProperties?: Node | boolean;
  anyOf?: Node[];
}

interface Field {
  path: string;
  node: Node;
  /** Whether a document has to have it that says nothing at all. */
  needed: boolean;
}

/** Every field of the configuration, those of lists and records included. */
function fields(node: Node, path: string, always: boolean): Field[] {
  const below = Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const needed = always && (node.required ?? []).includes(name);
    return [{ path: at, node: child, needed }, ...fields(child, at, always && child.default !== undefined)];
  });
  const open = typeof node.additionalProperties === "object" ? [node.additionalProperties] : [];
  return [
    ...below,
    ...(node.items === undefined ? [] : fields(node.items, `${path}[]`, false)),
    ...open.flatMap((entry) => fields(entry, `${path}.*`, false)),
    ...(node.anyOf ?? []).flatMap((form) => fields(form, path, false)),
  ];
}

const all = fields(z.toJSONSchema(schema, { io: "input" }) as Node, "", true);

function faults(config: object): string[] {
  const checked = checkConfig(schema, config);
  return checked.kind === "valid" ? [] : checked.faults.map(({ path, message }) => `${path}: ${message}`);
}

describe("every field of the configuration", () => {
  test("is found in the schema, also in lists and records", () => {
    const paths = all.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        "agents.list[].heartbeat.activeHours.start",
        "agents.defaults.memorySearch.query.hybrid.mmr.lambda",
        "skills.entries.*.apiKey.id",
        "channels.telegram.accounts.*.dmPolicy",
        "channels.telegram.dmPolicy",
        "models.providers.*.models[].cost.input",
        "hooks.internal.entries.session-memory.enabled",
        "hooks.mappings[].match.path",
        "bindings[].match.peer.kind",
      ]),
    );
    expect(paths.length).toBeGreaterThan(300);
  });

  test("has a description", () => {
    const bare = all.filter(({ node }) => !/^.{2,}[.:…]?$/.test(node.description ?? ""));
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  test("has a default or is optional", () => {
    expect(all.filter(({ needed }) => needed).map(({ path }) => path)).toEqual([]);
    expect(schema.safeParse({}).success).toBe(true);
  });
});

describe("an unknown name", () => {
  test("is refused with its path and the nearest known name", () => {
    expect(faults({ agents: { list: [{ id: "main", modle: "p/x" }] } })).toEqual([
      "agents.list[0].modle: 'modle' is not known; did you mean 'model'?",
    ]);
    expect(faults({ tool: {} })).toEqual(["tool: 'tool' is not known; did you mean 'tools'?"]);
    expect(faults({ channels: { telegram: { accounts: { main: { dmpolicy: "open" } } } } })).toEqual([
      "channels.telegram.accounts.main.dmpolicy: 'dmpolicy' is not known; did you mean 'dmPolicy'?",
    ]);
    expect(faults({ hooks: { internal: { entries: { "session-memry": {} } } } })[0]).toContain("'session-memory'?");
  });

  test("that resembles no other is refused with the known names", () => {
    expect(faults({ memory: { xyzzy: 1 } })).toEqual(["memory.xyzzy: 'xyzzy' is not known; there is: citations"]);
  });

  test("is found inside a union as well", () => {
    expect(faults({ agents: { defaults: { model: { primary: "p/x", falbacks: [] } } } })).toEqual([
      "agents.defaults.model.falbacks: 'falbacks' is not known; did you mean 'fallbacks'?",
    ]);
  });

  test("that a field had formerly is refused with its present name", () => {
    const said = "'bash' is called 'exec' now; write its fields there";
    expect(faults({ tools: { bash: { ask: "off" } } })).toEqual([`tools.bash: ${said}`]);
    expect(faults({ agents: { list: [{ id: "main", tools: { bash: {} } }] } })).toEqual([
      `agents.list[0].tools.bash: ${said}`,
    ]);
  });

  test("of a tool group is refused, because it would have no effect", () => {
    const [said] = faults({ tools: { deny: ["group:files", "group:fs", "a_plugins_tool"] } });
    expect(said).toMatch(/^tools\.deny\[0\]: there is no such group; there is: group:fs, /);
  });

  test("that a prototype has is no field", () => {
    expect(faults(JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}')).length).toBeGreaterThan(0);
  });
});

describe("a secret is refused where a text may stand, and not repeated", () => {
  const provider = { baseUrl: "https://p.test/v1", api: "openai-completions" };

  test.each<[string, object]>([
    ["headers.Authorization", { headers: { Authorization: "Bearer hunter2hunter2" } }],
    ["headers.x-api-key", { headers: { "x-api-key": "hunter2" } }],
    ["headers.X-Extra", { headers: { "X-Extra": "sk-hunter2hunter2hunter2" } }],
    ["baseUrl", { baseUrl: "https://ada:hunter2@p.test/v1" }],
    ["baseUrl", { baseUrl: "https://hunter2@p.test/v1" }],
    ["baseUrl", { baseUrl: "https://p.test/v1?key=hunter2" }],
  ])("%s, case %#", (field, said) => {
    const [fault, ...rest] = faults({ models: { providers: { p: { ...provider, ...said } } } });
    expect(fault?.replaceAll(/[[\]"]/g, "")).toContain(field.split(".").at(-1));
    expect(fault).toMatch(/does not belong|must not contain/);
    expect(fault).not.toContain("hunter2");
    expect(rest).toEqual([]);
  });

  test("and a reference, or a text that is no secret, is accepted", () => {
    const headers = { Authorization: { source: "env", id: "KEY" }, "X-Title": "Isopod" };
    expect(faults({ models: { providers: { p: { ...provider, headers } } } })).toEqual([]);
    expect(faults({ channels: { telegram: { apiBase: "https://1:x@t.test" } } })[0]).toMatch(/apiBase/);
  });
});

test("a document full of agents is checked quickly, even if none is valid", () => {
  const list = Array.from({ length: 50_000 }, (_, at) => ({ id: `a${at}` }));
  expect(faults({ agents: { list } })).toEqual([]);
  const placed = list.slice(0, 20_000).map(({ id }) => ({ id, workspace: `w/${id}` }));
  expect(faults({ agents: { list: placed } })).toEqual([]);
  const agents = Object.fromEntries(list.slice(0, 20_000).map(({ id }) => [`x${id}`, {}]));
  const said = faults({ agents: { list }, budgets: { agents } });
  expect(said[0]).toMatch(/and 49980 more/);
}, 10_000);

describe("a setting of all agents", () => {
  const only = ["imageModel", "thinkingDefault", "verboseDefault", "elevatedDefault", "contextTokens"];
  const more = ["timeoutSeconds", "maxConcurrent", "skipBootstrap"];

  test.each([...only, ...more])("%s is refused in the entry of one, which says where it belongs", (name) => {
    const [said, ...rest] = faults({ agents: { list: [{ id: "main", [name]: "x" }] } });
    expect(said).toContain(`agents.list[0].${name}: ${name}: not a setting of one agent`);
    expect(said).toContain(`belongs in agents.defaults.${name}`);
    expect(rest).toEqual([]);
  });

  test("subagents.thinking is refused in the entry of one agent", () => {
    const [said] = faults({ agents: { list: [{ id: "main", subagents: { thinking: "low" } }] } });
    expect(said).toContain("agents.list[0].subagents.thinking");
    expect(said).toContain("belongs in agents.defaults.subagents.thinking");
  });
});

describe("an override of one agent", () => {
  const shared = z.strictObject({
    every: z.string().default("30m").meta(planned("How often.")),
    hours: z.strictObject({ start: z.number().min(0).default(0), end: z.number().default(24) }).prefault({}),
    days: z.array(z.string()).default(["mon"]),
  });

  test("has no defaults, and keeps bounds and descriptions", () => {
    const own = overridesOf(shared);
    expect(own.parse({})).toEqual({});
    expect(own.parse({ hours: { end: 20 } })).toEqual({ hours: { end: 20 } });
    expect(own.safeParse({ hours: { start: -1 } }).success).toBe(false);
    expect(own.safeParse({ evry: "1m" }).success).toBe(false);
    expect(z.toJSONSchema(own)).toMatchObject({
      properties: { every: { description: "How often.", status: "planned" } },
    });
  });

  test("wins field by field, and replaces lists whole", () => {
    const defaults = shared.parse({});
    expect(withOverrides(defaults, { hours: { end: 20 }, days: [] })).toEqual({
      every: "30m",
      hours: { start: 0, end: 20 },
      days: [],
    });
    expect(withOverrides(defaults, undefined)).toEqual(defaults);
  });
});
