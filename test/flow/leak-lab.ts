import { env, runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import { call } from "./client.ts";

/** What somebody could look through, by where it is. */
export type Places = Map<string, string>;

interface Stubs {
  get(id: DurableObjectId): any;
}

const utf8 = new TextEncoder();

/** Bytes as text in which each byte is one character, so that what is ASCII is found whatever is around it. */
function latin(bytes: ArrayBuffer | Uint8Array): string {
  const view = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  let text = "";
  for (let at = 0; at < view.length; at += 8192) text += String.fromCharCode(...view.subarray(at, at + 8192));
  return text;
}

/** A row of a database, its blobs included: those are shown as text and as bytes. */
function rowText(row: Record<string, unknown>): string {
  return Object.entries(row)
    .map(([name, value]) => {
      if (value instanceof ArrayBuffer) return `${name}: ${latin(value)} ${new TextDecoder().decode(value)}`;
      return `${name}: ${Array.isArray(value) ? latin(Uint8Array.from(value)) : String(value)}`;
    })
    .join("\n");
}

/** Every row of every table of D1. */
export async function allOfD1(): Promise<Places> {
  const tables = await env.DB.prepare(
    "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'",
  ).all<{ name: string }>();
  const places: Places = new Map();
  for (const { name } of tables.results) {
    const { results } = await env.DB.prepare(`select * from "${name}"`).all();
    places.set(`D1 ${name}`, results.map(rowText).join("\n"));
  }
  return places;
}

/** Every object of R2: key, metadata, bytes. */
export async function allOfR2(): Promise<Places> {
  const places: Places = new Map();
  let cursor: string | undefined;
  do {
    const page = await env.FILES.list({
      ...(cursor !== undefined && { cursor }),
      include: ["customMetadata", "httpMetadata"],
    });
    for (const { key, customMetadata, httpMetadata } of page.objects) {
      const bytes = await (await env.FILES.get(key))!.arrayBuffer();
      places.set(
        `R2 ${key}`,
        `${key}\n${JSON.stringify([customMetadata, httpMetadata])}\n${latin(bytes)}\n${new TextDecoder().decode(bytes)}`,
      );
    }
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return places;
}

/** Every row of every table of Durable Objects, and what they keep beside. */
export async function allOfObjects(namespace: Stubs, ids: DurableObjectId[]): Promise<Places> {
  const places: Places = new Map();
  for (const id of ids) {
    const text = await runInDurableObject(namespace.get(id), async (_: unknown, { storage }: DurableObjectState) => {
      const tables = storage.sql
        .exec<{ name: string }>(
          "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'",
        )
        .toArray();
      const rows = tables.flatMap(({ name }) => [
        `# ${name}`,
        ...storage.sql.exec(`select * from "${name}"`).toArray().map(rowText),
      ]);
      return [...rows, JSON.stringify([...(await storage.list())])].join("\n");
    });
    places.set(`object ${id.toString().slice(0, 8)}`, text);
  }
  return places;
}

/** What the API answers to those who hold the token. */
export async function answersOf(paths: readonly string[]): Promise<Places> {
  const places: Places = new Map();
  for (const path of paths) {
    const response = await call("GET", path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    places.set(`GET ${path}`, await response.text());
  }
  return places;
}

/** Listens to everything that is logged from now on. */
export function listenToLogs(): { lines: string[]; stop(): void } {
  const lines: string[] = [];
  const listen = (...line: unknown[]) =>
    void lines.push(
      line
        .map((part) =>
          part instanceof Error ? `${part} ${part.stack}` : typeof part === "string" ? part : JSON.stringify(part),
        )
        .join(" "),
    );
  for (const level of ["debug", "info", "log", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation(listen);
  return { lines, stop: () => void vi.restoreAllMocks() };
}

/** How a value looks in texts, as this test knows it: not by the code that it looks after. */
export function looksOf(value: string): string[] {
  const bytes = utf8.encode(value);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].map((before) => {
    const text = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes)).replaceAll("=", "");
    // Without the characters that what is before or after has a part in.
    return text.slice(before === 0 ? 0 : before + 1, -2);
  });
  const urls = [encodeURIComponent(value), new URLSearchParams({ "": value }).toString().slice(1)];
  const json = JSON.stringify(value).slice(1, -1);
  const shell = [value.replaceAll("'", "'\\''"), value.replaceAll(/["']/g, "\\$&"), value.replaceAll("'", "\\'")];
  const octal = [...bytes].map((byte) => byte.toString(8).padStart(3, "0")).join("");
  const plain = [
    value.toUpperCase(),
    value.toLowerCase(),
    [...value].reverse().join(""),
    value.replaceAll("&", "&amp;"),
  ];
  const looks = [
    value,
    latin(bytes),
    json,
    JSON.stringify(json).slice(1, -1),
    ...[...shell, ...plain, octal, hex, hex.toUpperCase()],
    ...base64,
    ...urls,
  ];
  return [...new Set([...looks, ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))])];
}

/** Where one of the looks is, and which one; also across the lines of what is broken into lines. */
export function leaksIn(places: Places, values: readonly string[]): string[] {
  const looks = values.flatMap(looksOf);
  return [...places].flatMap(([place, text]) => {
    const dense = text.replace(/\\n|\s/g, "");
    return looks
      .filter((look) => text.includes(look) || dense.includes(look.replace(/\s/g, "")))
      .map((look) => `${place}: ${look}`);
  });
}
