import { describe, expect, it } from "vitest";
import { passageText, resultsText, statusText } from "../../src/cli/memory-text.ts";
import type { MemoryResults, MemoryStatus } from "../../src/client/wire.ts";

const CATS: MemoryResults["results"][number] = {
  path: "memory/cats.md",
  source: "memory",
  startLine: 3,
  endLine: 4,
  score: 0.8249,
  snippet: "Miso was vaccinated in May.\nNext: \u001b[31mMay.",
  citation: "memory/cats.md#L3-L4",
  reason: {
    legs: "both",
    keyword: { rank: 1, score: 1, terms: ["vaccinate", "cats"] },
    vector: { rank: 2, score: 0.6, similarity: 0.6 },
    boosts: ["path"],
  },
};
const CHINESE: MemoryResults["results"][number] = {
  ...CATS,
  score: 0.4,
  snippet: "猫在五月打了疫苗。",
  citation: "memory/猫.md#L1",
  reason: { legs: "keyword", keyword: { rank: 2, score: 0.5, terms: ["疫苗"] }, boosts: [], decay: 0.5 },
};
const RESULTS: MemoryResults = {
  agent: "main",
  query: "vaccinate cats",
  results: [CATS, CHINESE],
  mode: "hybrid",
  embedder: { provider: "local", model: "hash" },
  degraded: { code: "vectors_incomplete", message: "Vectors are being made." },
  index: { files: 2, chunks: 5, pending: 1 },
  tookMs: 11.6,
};
const STATUS: MemoryStatus = {
  enabled: true,
  sources: ["memory"],
  files: 2,
  chunks: 5,
  pending: 1,
  complete: false,
  busy: false,
  comparedAt: Date.UTC(2026, 2, 1),
  warnings: [{ path: "memory/a.md", message: "It is no text." }],
  embedder: { requested: "auto", provider: "local", model: "hash", why: "nobody else can be asked" },
  vectors: { store: "d1", ready: { space: "local/hash/512", vectors: 4 }, building: null },
  failure: { message: "No key.", at: Date.UTC(2026, 2, 2) },
};

describe("an agent's memory on a terminal", () => {
  it("shows what a search found with score, reason and place, in columns that Chinese keeps to", () => {
    expect(resultsText(RESULTS)).toBe(
      [
        "score  why                             where",
        "0.82   both · vaccinate, cats · +path  memory/cats.md#L3-L4",
        "  │ Miso was vaccinated in May.",
        "  │ Next:  [31mMay.",
        "",
        "0.40   keyword · 疫苗 · age ×0.50      memory/猫.md#L1",
        "  │ 猫在五月打了疫苗。",
        "",
        "! Vectors are being made.",
        "! Not indexed yet: 1 changed file.",
        "2 passages of 2 files (5 chunks), by words and vectors with local/hash, 12 ms.",
      ].join("\n"),
    );
  });

  it("says that nothing was found, and among what", () => {
    const index = { files: 1, chunks: 1, pending: 0 };
    expect(resultsText({ agent: "main", query: "x", results: [], mode: "keywords", index, tookMs: 2 })).toBe(
      "0 passages of 1 file (1 chunk), by words only, 2 ms.",
    );
  });

  it("says of lines where they are, that one was cut, and where to go on", () => {
    const passage = {
      path: "MEMORY.md",
      source: "memory",
      text: "a\nb",
      startLine: 2,
      endLine: 3,
      totalLines: 9,
    } as const;
    expect(passageText({ ...passage, next: 4 })).toBe("a\nb\n\nMEMORY.md: lines 2 to 3 of 9; continue with --from 4.");
    expect(passageText({ ...passage, endLine: 2, isCut: true })).toContain("lines 2 to 2 of 9, line 2 cut.");
    expect(passageText({ ...passage, text: "", startLine: 0, endLine: 0 })).toContain("there are none in this range");
  });

  it("tells how the index stands, and what is wrong", () => {
    expect(statusText(STATUS)).toBe(
      [
        "sources   memory",
        "indexed   2 files, 5 chunks",
        "waiting   1 changed file",
        "state     not complete",
        "compared  2026-03-01T00:00:00.000Z",
        "embedder  local/hash: nobody else can be asked",
        "vectors   4 of local/hash/512, in d1",
        "! memory/a.md: It is no text.",
        "✗ 2026-03-02T00:00:00.000Z: No key.",
      ].join("\n"),
    );
    expect(statusText({ ...STATUS, enabled: false })).toContain("memorySearch.enabled");
  });
});
