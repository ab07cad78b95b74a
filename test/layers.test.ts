import { expect, test } from "vitest";

const sources = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** The rooms from the ground up: a file imports its own room and lower rows. */
const ROWS = [
  ["lib"],
  ["db", "docs", "security"],
  ["config"],
  ["models", "workspace", "channels"],
  ["agent", "skills", "memory", "shell", "schedule", "extract", "search", "media", "browser"],
  ["tools", "prompt", "mcp"],
  ["plugins"],
  ["services"],
  ["session-store"],
  ["turn"],
  ["subagents", "commands", "budgets", "retention", "relocation", "index-sync", "processes"],
  ["session"],
  ["inbound", "diagnostics", "migrate"],
  ["http", "events"],
];

/** The clients. They share `client/` and take types of http/ alone, nothing else of the Worker. */
const CLIENTS = ["client", "cli", "web"];

/** The only files that import the platform's own module: those of the Durable Objects. */
const OBJECT_FILES = ["session/session.ts", "session/lane.ts", "session/budget.ts", "events/discord-gateway.ts"];

/** Rooms that see `Env`. */
const SEES_ENV = ["http", "events", "services", "session"];

/** Rooms below this row take time and chance as parameters. */
const FIRST_ROW_WITH_CLOCK = "services";

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

const files: [path: string, text: string][] = Object.entries(sources).map(([path, text]) => [
  path.replace("../src/", ""),
  text,
]);
const allImports = files.flatMap(([path, text]) => importsOf(path, text));
const ownImports = allImports.filter(({ to }) => sources[`../src/${to}`] !== undefined || to.endsWith(".ts"));

function roomOf(path: string): string {
  return path.includes("/") ? (path.split("/")[0] ?? "") : "";
}

function rowOf(room: string): number {
  return ROWS.findIndex((row) => row.includes(room));
}

function importsOf(path: string, text: string): Import[] {
  const atOnce = text.matchAll(/^(?:import|export)\s+(type\s)?[^"';]*?["']([^"']+)["']/gms);
  const whenNeeded = text.matchAll(/\bimport\((type\s)?["']([^"']+)["']\)/g);
  return [...atOnce, ...whenNeeded].map(([, typeOnly, to]) => ({
    from: path,
    to: resolve(path, to ?? ""),
    typeOnly: typeOnly !== undefined,
  }));
}

function resolve(from: string, to: string): string {
  return to.startsWith(".") ? new URL(to, `file:///${from}`).pathname.slice(1) : to;
}

/** The text of a file without its comments, so that a rule about code does not read prose. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

/** Files of the Worker (not the clients, not documentation) whose code matches, except for those allowed. */
function offenders(pattern: RegExp, allowed: readonly string[] = [], rooms?: readonly string[]): string[] {
  return files
    .filter(([path]) => !CLIENTS.includes(roomOf(path)) && (rooms === undefined || rooms.includes(roomOf(path))))
    .filter(([path, text]) => !allowed.includes(path) && pattern.test(codeOf(text)))
    .map(([path]) => path);
}

/** Every group of two or more nodes that reach one another (Tarjan). */
function cycles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): number => {
    const own = index.size;
    index.set(node, own);
    low.set(node, own);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      const reached = index.has(next) ? (stack.includes(next) ? index.get(next)! : own) : visit(next);
      low.set(node, Math.min(low.get(node)!, reached));
    }
    if (low.get(node) === own) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) found.push(group.sort());
    }
    return low.get(node)!;
  };
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return found;
}

function edgesBy(name: (path: string) => string, isEdge: (from: string, to: string) => boolean) {
  const edges = new Map<string, Set<string>>(files.map(([path]) => [name(path), new Set<string>()]));
  for (const { from, to } of ownImports) {
    if (name(from) !== name(to) && isEdge(name(from), name(to))) edges.get(name(from))?.add(name(to));
  }
  return edges;
}

test("the layer test reads the sources", () => {
  expect(ownImports.length).toBeGreaterThan(1000);
});

test("every room of src/ has a row in the plan", () => {
  const planned = new Set(["", ...CLIENTS, ...ROWS.flat()]);
  expect([...new Set(files.map(([path]) => roomOf(path)))].filter((room) => !planned.has(room))).toEqual([]);
});

test("a file imports its own room and lower rows, never sideways and never up", () => {
  const wrong = ownImports.filter(({ from, to }) => {
    const [here, there] = [roomOf(from), roomOf(to)];
    if (here === "" || here === there || CLIENTS.includes(here)) return false;
    return rowOf(there) < 0 || rowOf(there) >= rowOf(here);
  });
  expect(wrong).toEqual([]);
});

test("no files import one another in a circle, types included", () => {
  expect(
    cycles(
      edgesBy(
        (path) => path,
        () => true,
      ),
    ),
  ).toEqual([]);
});

test("no folders import one another in a circle, except a folder and its own subfolders", () => {
  const folder = (path: string) => path.split("/").slice(0, -1).join("/");
  const isKin = (a: string, b: string) => a === "" || b === "" || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
  expect(cycles(edgesBy(folder, (from, to) => !isKin(from, to)))).toEqual([]);
});

test("a circle of imports is found where there is one", () => {
  const edges = new Map([
    ["a", new Set(["b"])],
    ["b", new Set(["c"])],
    ["c", new Set(["a"])],
    ["d", new Set(["a"])],
  ]);
  expect(cycles(edges)).toEqual([["a", "b", "c"]]);
});

test("rows above the session import session/api.ts alone, and index.ts the object classes", () => {
  const wrong = ownImports.filter(
    ({ from, to }) => roomOf(to) === "session" && !["", "session"].includes(roomOf(from)) && to !== "session/api.ts",
  );
  expect(wrong).toEqual([]);
});

test("page, command line and client take types of http/ alone from the Worker", () => {
  const wrong = ownImports.filter(({ from, to, typeOnly }) => {
    const [here, there] = [roomOf(from), roomOf(to)];
    if (!CLIENTS.includes(here) || here === there || there === "client") return false;
    return !(there === "http" && typeOnly) && here !== "";
  });
  expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test("only the Durable Objects import cloudflare:workers", () => {
  const importers = allImports.filter(({ to }) => to === "cloudflare:workers").map(({ from }) => from);
  expect(importers.filter((path) => !OBJECT_FILES.includes(path))).toEqual([]);
});

test("Env stops at the door", () => {
  const wrong = offenders(/\benv: Env\b|<Env>|Bindings: Env\b/).filter(
    (path) => !["", ...SEES_ENV].includes(roomOf(path)),
  );
  expect(wrong).toEqual([]);
});

test("only a folder that holds a list has an index.ts", () => {
  const indexes = files.map(([path]) => path).filter((path) => path.endsWith("/index.ts"));
  const plural = ["models", "channels", "tools", "plugins", "commands"].map((room) => `${room}/index.ts`);
  expect(indexes.filter((path) => !plural.includes(path))).toEqual([]);
});

test("no type is called Room or Wiring, and no file utils, helpers, manager or types", () => {
  expect(offenders(/\b(?:interface|type|class) \w*(?:Room|Wiring)\b/)).toEqual([]);
  const vague = files
    .map(([path]) => path)
    .filter((path) => /(?:^|\/)(?:utils?|helpers?|manager|types)\.tsx?$/.test(path));
  expect(vague).toEqual([]);
});

test("rooms below the services take time and chance as parameters", () => {
  const below = ROWS.flat().filter((room) => rowOf(room) < rowOf(FIRST_ROW_WITH_CLOCK));
  // Sleeping about as long as asked needs chance, and nothing else of it is ever stored.
  expect(offenders(/\b(?:Date\.now|Math\.random|crypto\.randomUUID)\(\)/, ["lib/sleep.ts"], below)).toEqual([]);
});

test("a timer ends with its work (lib/deadline.ts): AbortSignal.timeout would keep an object in memory, and billed", () => {
  expect(offenders(/AbortSignal\.timeout/)).toEqual([]);
});

test("only agent/ask.ts calls a model", () => {
  expect(offenders(/\.stream\(/, ["agent/ask.ts"])).toEqual([]);
});

test("agents, tools, shell, skills and plugins reach the outside through the egress that they are given", () => {
  const rooms = [
    "tools",
    "shell",
    "skills",
    "agent",
    "prompt",
    "turn",
    "plugins",
    "commands",
    "workspace",
    "subagents",
    "search",
  ];
  expect(offenders(/(?<![.#\w])fetch\(/, ["skills/install/archive-request.ts"], rooms)).toEqual([]);
  expect(offenders(/\bglobalThis\.fetch\b/, ["services/create-services.ts"])).toEqual([]);
});

test("patterns of models and people are compiled by re2js", () => {
  const rooms = [
    "lib",
    "workspace",
    "channels",
    "extract",
    "shell",
    "tools",
    "prompt",
    "plugins",
    "session-store",
    "turn",
    "inbound",
  ];
  expect(offenders(/\bnew RegExp\(/, [], rooms)).toEqual([]);
});

test("text of the workspace reaches a prompt through workspace/decode-text.ts", () => {
  const allowed = ["workspace/decode-text.ts", "workspace/state.ts"];
  expect(
    offenders(/new TextDecoder\(/, allowed, ["turn", "prompt", "agent", "session", "services", "workspace"]),
  ).toEqual([]);
});

test("a fatal error of a run is caught where its result is made, and nowhere on the way", () => {
  expect(offenders(/instanceof FatalRunError/, ["session-store/run-result.ts"])).toEqual([]);
});

test("what must happen in one place does", () => {
  expect(offenders(/\brenderSystemPrompt\(/, ["turn/turn-prompt.ts", "prompt/system-prompt.ts"])).toEqual([]);
  expect(offenders(/\btransactionSync\(/, ["session-store/fence.ts"])).toEqual([]);
  expect(offenders(/\bconfigRevisions\b/, ["config/store.ts", "db/schema.ts"])).toEqual([]);
  expect(offenders(/timingSafeEqual/, ["security/secret-equal.ts"])).toEqual([]);
  expect(offenders(/\bconsole(?:\.\w+|\[\w+\])\(/, ["lib/log.ts"])).toEqual([]);
});

test("the AI SDK stays in models/ and just-bash in shell/", () => {
  const importers = (pattern: RegExp) =>
    allImports.filter(({ to }) => pattern.test(to)).map(({ from }) => roomOf(from));
  expect([...new Set(importers(/^@ai-sdk\//))].filter((room) => room !== "models")).toEqual([]);
  expect([...new Set(importers(/^just-bash/))].filter((room) => room !== "shell")).toEqual([]);
});

test("no catch is empty", () => {
  expect(offenders(/catch\s*(?:\([^)]*\))?\s*\{\s*\}/)).toEqual([]);
});
