import type { MemoryPassage, MemoryResults, MemoryStatus } from "../../src/client/wire.ts";
import type { Asked } from "./scripted-skills.ts";

type Hit = MemoryResults["results"][number];

const NOTE = [
  "# Saturday",
  "",
  "Bought paint.",
  "The dentist called: <img src=x onerror=alert(1)>",
  "Tuesday at nine.",
  "Tea.",
];

/** An agent's memory as the server has it. */
export class ScriptedMemory {
  readonly asked: Asked[] = [];
  /** How many more times it says that something is left to do, once it indexes. */
  left = 1;
  degraded: MemoryResults["degraded"];
  status: MemoryStatus = {
    ...{ enabled: true, sources: ["memory"], files: 12, chunks: 1_480, pending: 0, complete: true, busy: false },
    comparedAt: Date.UTC(2026, 0, 31, 9),
    warnings: [{ path: "memory/scan.md", message: "It is no text." }],
    embedder: { requested: "auto", provider: "local", model: "hash-1", why: "There is no key of another provider." },
    vectors: { store: "d1", ready: { space: "local/hash-1/1024", vectors: 1_480 }, building: null },
    failure: null,
  };

  /** The answer to a request; undefined where it is about something else. */
  answer(asked: Asked): { status: number; body: unknown } | undefined {
    const [, what] = /^\/v1\/agents\/main\/memory\/(\w+)/.exec(asked.path) ?? [];
    if (what === undefined) return undefined;
    this.asked.push(asked);
    switch (what) {
      case "status":
        if (!this.status.complete && this.left-- <= 0) this.status = { ...this.status, pending: 0, complete: true };
        return { status: 200, body: this.status };
      case "index":
        this.status = { ...this.status, pending: 3, complete: false };
        return { status: 202, body: this.status };
      case "search":
        return { status: 200, body: this.#search(JSON.parse(asked.bytes.toString("utf8")).query) };
      default:
        return this.#file(new URL(asked.path, "http://x").searchParams);
    }
  }

  #search(query: string): MemoryResults {
    const { files, chunks, pending } = this.status;
    const results = query.includes("dentist") ? HITS : [];
    const degraded = this.degraded === undefined ? {} : { degraded: this.degraded };
    return {
      agent: "main",
      query,
      results,
      mode: "hybrid",
      index: { files, chunks, pending },
      tookMs: 12,
      ...degraded,
    };
  }

  #file(query: URLSearchParams): { status: number; body: unknown } {
    const path = query.get("path") ?? "";
    if (path !== "memory/2026-01-31.md") {
      return { status: 404, body: { error: { code: "not_found", message: `There is no ${path}.` } } };
    }
    const startLine = Number(query.get("from"));
    const lines = NOTE.slice(startLine - 1, startLine - 1 + Number(query.get("lines")));
    const body: MemoryPassage = {
      ...{ path, source: "memory", text: lines.join("\n"), startLine },
      ...{ endLine: startLine + lines.length - 1, totalLines: NOTE.length },
    };
    return { status: 200, body };
  }
}

const HITS: Hit[] = [
  {
    ...{ path: "memory/2026-01-31.md", source: "memory", startLine: 4, endLine: 5, score: 0.82 },
    ...{ snippet: `${NOTE[3]}\n${NOTE[4]}`, citation: "memory/2026-01-31.md#L4-L5" },
    reason: {
      legs: "both",
      keyword: { rank: 1, score: 0.9, terms: ["dentists"] },
      vector: { rank: 1, score: 0.8, similarity: 0.71 },
      boosts: ["phrase"],
    },
  },
  {
    ...{ path: "MEMORY.md", source: "memory", startLine: 7, endLine: 7, score: 0.4 },
    ...{ snippet: "Afraid of drills.", citation: "MEMORY.md#L7" },
    reason: { legs: "vector", vector: { rank: 2, score: 0.4, similarity: 0.4 }, boosts: [] },
  },
];
