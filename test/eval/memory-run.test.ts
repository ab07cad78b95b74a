import { describe, expect, test } from "vitest";
import type { MemoryStatus } from "../../src/memory/agent-memory.ts";
import { openDoor, type Send } from "./memory-door.ts";
import type { MemorySet } from "./memory-folder.ts";
import { askQuestions, askWords, indexSet, isWhole } from "./memory-run.ts";

const set: MemorySet = {
  name: "ada",
  files: new Map([
    ["memory/a b.md", "# A\n\nThe kettle is blue."],
    ["memory/茶.md", "# B\n\n猫喝茶。"],
  ]),
  questions: [
    { query: "kettle", category: "colour", evidence: [{ path: "memory/a b.md", line: 3 }] },
    { query: "boat", category: "colour", evidence: [{ path: "memory/茶.md", line: 3 }] },
  ],
  words: new Map([["words.json", ["茶", "狗"]]]),
};

const whole: MemoryStatus = {
  enabled: true,
  sources: ["memory"],
  files: 2,
  chunks: 2,
  pending: 0,
  complete: true,
  busy: false,
  comparedAt: 1,
  warnings: [],
  embedder: { requested: "auto", provider: "local", model: "hash", why: "" },
  vectors: { store: "d1", ready: { space: "local/hash/512", vectors: 2 }, building: null },
  failure: null,
};

/** A server that remembers what it is sent, says each status in turn, and finds lines that have the query in them. */
function server(statuses: MemoryStatus[] = [whole], spoil = (snippet: string) => snippet) {
  const stored = new Map<string, string>();
  const requests: string[] = [];
  const send: Send = async (method, path, body) => {
    const [, place = "", rest = ""] = /^\/v1\/agents\/ada\/(workspace|memory)\/(.*)$/.exec(path) ?? [];
    requests.push(`${method} ${place}${place === "memory" ? `/${rest}` : ""}`);
    if (place === "workspace") stored.set(decodeURIComponent(rest), String(body));
    if (place !== "memory") return Response.json({});
    if (rest === "status") return Response.json(statuses.length > 1 ? statuses.shift() : statuses[0]);
    const { query = "", maxResults = 0 } = body as { query?: string; maxResults?: number };
    const results = [...stored].flatMap(([path, text]) =>
      text.split("\n").flatMap((line, index) => {
        const place = { path, startLine: index + 1, endLine: index + 1 };
        return line.includes(query) ? [{ ...place, snippet: spoil(line) }] : [];
      }),
    );
    return Response.json({ results: results.slice(0, maxResults), tookMs: 3 });
  };
  return { door: openDoor(send, "ada"), stored, requests };
}

describe("the run of a set", () => {
  test("uploads its files, has them indexed, and waits until all is there", async () => {
    const waiting = { ...whole, vectors: { ...whole.vectors, ready: { space: "local/hash/512", vectors: 1 } } };
    const { door, stored, requests } = server([{ ...whole, pending: 1 }, waiting, whole]);
    expect(await indexSet(door, set, () => {})).toBeGreaterThanOrEqual(0);
    expect(stored).toEqual(set.files);
    expect(requests.slice(0, 3)).toEqual(["PUT workspace", "PUT workspace", "POST memory/index"]);
    expect(requests.slice(3)).toEqual(Array(3).fill("GET memory/status"));
  });

  test("asks each question for six and for ten, and each word by itself", async () => {
    const { door } = server();
    await indexSet(door, set, () => {});
    const scored = await askQuestions(door, set, () => {});
    expect(scored.map(({ at6, at10, charsAt6, tookMs }) => [at6, at10, charsAt6, tookMs])).toEqual([
      [1, 1, 19, 3],
      [0, 0, 0, 3],
    ]);
    expect(await askWords(door, set)).toEqual([{ set: "ada", list: "words.json", words: 2, missed: ["狗"] }]);
  });

  test("ends where a snippet is not what stands in the file", async () => {
    const { door } = server([whole], (line) => line.toUpperCase());
    await indexSet(door, set, () => {});
    await expect(askQuestions(door, set, () => {})).rejects.toThrow("'kettle' was shown what is not there");
  });

  test("ends where the server refuses, and says what it said", async () => {
    const door = openDoor(async () => new Response("no such agent", { status: 404 }), "ada");
    await expect(indexSet(door, set, () => {})).rejects.toThrow("answered 404: no such agent");
  });
});

test("an index is whole when every file is there, and every chunk has its vector", () => {
  const without = {
    ...whole,
    embedder: { ...whole.embedder, provider: null },
    vectors: { ...whole.vectors, ready: null },
  };
  const building = { space: "local/hash/256", vectors: 1 };
  expect(isWhole(whole, 2)).toBe(true);
  expect(isWhole(without, 2)).toBe(true);
  expect(isWhole(whole, 3)).toBe(false);
  expect(isWhole({ ...whole, pending: 1 }, 2)).toBe(false);
  expect(isWhole({ ...whole, busy: true }, 2)).toBe(false);
  expect(isWhole({ ...whole, chunks: 3 }, 2)).toBe(false);
  expect(isWhole({ ...whole, vectors: { ...whole.vectors, building } }, 2)).toBe(false);
  expect(isWhole({ ...whole, vectors: { ...whole.vectors, ready: null } }, 2)).toBe(false);
  const unavailable = { reason: "too large", fix: "bind Vectorize" };
  expect(isWhole({ ...whole, vectors: { store: null, ready: null, building: null, unavailable } }, 2)).toBe(true);
});
