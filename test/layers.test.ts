import { expect, test } from "vitest";

const sources = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** The rooms from the ground up: a room imports itself and lower rows. */
const ROWS = [
  ["lib"],
  ["db", "security", "docs"],
  ["config"],
  ["models", "workspace", "channels"],
  ["agent", "skills", "shell", "memory", "hooks", "schedule"],
  ["tools", "prompt"],
  ["plugins"],
  ["session"],
  ["migrate"],
  ["http", "events"],
];

/** The rooms outside of the Worker, with those that each may import. Of the Worker they take types of `http/` alone. */
const CLIENTS: Readonly<Record<string, readonly string[]>> = { client: [], web: ["client"], cli: ["client"] };
const OUTSIDE = Object.keys(CLIENTS);

/** The only files that may know the platform's own module: those of the Durable Objects. */
const OBJECT_FILES = ["session/session.ts", "session/lane.ts", "session/budget.ts"];

/** Rooms that see `Env`, besides the objects' files and what wires them. */
const SEES_ENV = ["http", "events", "session"];

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

function roomOf(path: string): string {
  return path.includes("/") ? (path.split("/")[0] ?? "") : "";
}

function filesBelowSrc(): [string, string][] {
  return Object.entries(sources).map(([path, text]) => [path.replace("../src/", ""), text]);
}

function importsOf(path: string, text: string): Import[] {
  const found = text.matchAll(/^(?:import|export)\s+(type\s)?[^"';]*?["']([^"']+)["']/gms);
  return [...found].map(([, typeOnly, to]) => ({
    from: path,
    to: resolve(path, to ?? ""),
    typeOnly: typeOnly !== undefined,
  }));
}

function resolve(from: string, to: string): string {
  return to.startsWith(".") ? new URL(to, `file:///${from}`).pathname.slice(1) : to;
}

const allImports = filesBelowSrc().flatMap(([path, text]) => importsOf(path, text));
const ownImports = allImports.filter(({ to }) => sources[`../src/${to}`] !== undefined || to.endsWith(".ts"));

function rowOf(room: string): number {
  return ROWS.findIndex((row) => row.includes(room));
}

test("the sources are there to be looked at", () => {
  expect(ownImports.length).toBeGreaterThan(100);
});

test("every room is in the plan", () => {
  const rooms = new Set(filesBelowSrc().map(([path]) => roomOf(path)));
  const planned = new Set(["", ...OUTSIDE, ...ROWS.flat()]);
  expect([...rooms].filter((room) => !planned.has(room))).toEqual([]);
});

test("a file imports its own folder and lower rows, never sideways and never up", () => {
  const wrong = ownImports.filter(({ from, to }) => {
    const [here, there] = [roomOf(from), roomOf(to)];
    if (here === "" || here === there || OUTSIDE.includes(here)) return false;
    return rowOf(there) < 0 || rowOf(there) >= rowOf(here);
  });
  expect(wrong).toEqual([]);
});

test("the page and the command line share client/, and take types of http/ alone of the Worker", () => {
  const wrong = ownImports.filter(({ from, to, typeOnly }) => {
    const [here, there] = [roomOf(from), roomOf(to)];
    if (!OUTSIDE.includes(here) || here === there || CLIENTS[here]?.includes(there)) return false;
    return there !== "http" || !typeOnly;
  });
  expect(wrong).toEqual([]);
});

test("only the Durable Objects import cloudflare:workers", () => {
  const importers = allImports.filter(({ to }) => to === "cloudflare:workers").map(({ from }) => from);
  expect(importers.filter((path) => !OBJECT_FILES.includes(path))).toEqual([]);
});

test("Env stops at the door", () => {
  const wrong = filesBelowSrc().filter(
    ([path, text]) => /\benv: Env\b|<Env>|Bindings: Env\b/.test(text) && !["", ...SEES_ENV].includes(roomOf(path)),
  );
  expect(wrong.map(([path]) => path)).toEqual([]);
});

test("only a folder that holds a list has an index.ts", () => {
  const indexes = filesBelowSrc()
    .map(([path]) => path)
    .filter((path) => path.endsWith("/index.ts"));
  const plural = ["models", "channels", "tools", "plugins"].map((room) => `${room}/index.ts`);
  expect(indexes.filter((path) => ![...plural, "session/commands/index.ts"].includes(path))).toEqual([]);
});

test("nothing below the doors takes the time or draws lots by itself", () => {
  const below = ROWS.flat().filter((room) => rowOf(room) < rowOf("session"));
  const wrong = filesBelowSrc().filter(
    ([path, text]) => below.includes(roomOf(path)) && /\b(?:Date\.now|Math\.random|crypto\.randomUUID)\(\)/.test(text),
  );
  expect(wrong.map(([path]) => path)).toEqual([]);
});

test("no timer is left behind, which would keep an object in memory and billed: lib/deadline.ts instead", () => {
  const wrong = filesBelowSrc().filter(
    ([path, text]) =>
      !OUTSIDE.includes(roomOf(path)) && path !== "lib/deadline.ts" && /AbortSignal\.timeout/.test(text),
  );
  expect(wrong.map(([path]) => path)).toEqual([]);
});
