import { describe, expect, test } from "vitest";
import type { MemorySet, Question } from "./memory-folder.ts";
import { charsOf, faultOf, recallOf, reportOf, type Scored, type Shown } from "./memory-score.ts";

const PATH = "memory/monday.md";
const LINES = ["# Monday", "", "The kettle is blue.", "The cat is grey."];
const set: MemorySet = {
  name: "ada",
  files: new Map([[PATH, LINES.join("\n")]]),
  questions: [],
  words: new Map(),
};

function shown(startLine: number, endLine: number, more: Partial<Shown> = {}): Shown {
  return { path: PATH, startLine, endLine, snippet: LINES.slice(startLine - 1, endLine).join("\n"), ...more };
}

function question(...lines: number[]): Question {
  return { query: "What?", category: "colour", evidence: lines.map((line) => ({ path: PATH, line })) };
}

describe("a snippet", () => {
  test("is those very lines of that file", () => {
    expect(faultOf(shown(3, 4), set)).toBeUndefined();
    expect(faultOf(shown(3, 4, { snippet: "The kettle is blue. The cat is grey." }), set)).toContain("something else");
    expect(faultOf(shown(3, 4, { snippet: "kettle is blue.\nThe cat is" }), set)).toContain("something else");
    expect(faultOf(shown(2, 3, { snippet: "The kettle is blue.\nThe cat is grey." }), set)).toContain("#L2-L3");
  });

  test("may be a part of one line", () => {
    expect(faultOf(shown(3, 3, { snippet: "kettle is" }), set)).toBeUndefined();
    expect(faultOf(shown(4, 4, { snippet: "kettle is" }), set)).toContain("something else");
  });

  test("is compared with lines, however they end", () => {
    const windows = { ...set, files: new Map([[PATH, LINES.join("\r\n")]]) };
    expect(faultOf(shown(3, 4), windows)).toBeUndefined();
  });

  test("names a file and lines that are there, and shows something", () => {
    expect(faultOf(shown(3, 3, { path: "memory/x.md" }), set)).toContain("no such file");
    expect(faultOf(shown(0, 1), set)).toContain("no such lines");
    expect(faultOf(shown(4, 3), set)).toContain("no such lines");
    expect(faultOf(shown(4, 5), set)).toContain("no such lines");
    expect(faultOf(shown(2, 2), set)).toContain("shows nothing");
  });
});

describe("evidence", () => {
  test("is found where the lines that were shown contain it", () => {
    expect(recallOf(question(3), [shown(3, 4)])).toBe(1);
    expect(recallOf(question(4), [shown(3, 4)])).toBe(1);
    expect(recallOf(question(4), [shown(1, 3)])).toBe(0);
    expect(recallOf(question(3), [shown(3, 4, { path: "memory/tuesday.md" })])).toBe(0);
    expect(recallOf(question(3), [])).toBe(0);
  });

  test("counts by its share, and once", () => {
    expect(recallOf(question(1, 4), [shown(3, 4), shown(4, 4)])).toBe(0.5);
    expect(recallOf(question(1, 3, 4), [shown(1, 1), shown(4, 4)])).toBeCloseTo(2 / 3);
  });

  test("costs the characters of all snippets", () => {
    expect(charsOf([shown(3, 4), shown(1, 1)])).toBe(36 + 8);
  });
});

describe("a report", () => {
  const scored = (name: string, category: string, at6: number, at10: number, ms: number): Scored => ({
    set: name,
    question: { ...question(3), category },
    at6,
    at10,
    charsAt6: ms * 10,
    requestMs: ms,
    tookMs: ms / 2,
    degraded: ms > 25 ? "No vectors." : undefined,
    shown: [],
  });
  const all = [scored("ada", "a", 1, 1, 10), scored("ada", "b", 0, 0.5, 20), scored("bob", "b", 1 / 3, 1, 30)];

  test("has each question count the same, in all, by category and by set", () => {
    const report = reportOf(all, [], 1234.5);
    expect(report).toMatchObject({ questions: 3, recallAt6: 44.4, recallAt10: 83.3, charsAt6: 200, maxCharsAt6: 300 });
    expect(report.byCategory).toEqual({
      a: { questions: 1, recallAt6: 100, recallAt10: 100, charsAt6: 100 },
      b: { questions: 2, recallAt6: 16.7, recallAt10: 75, charsAt6: 250 },
    });
    expect(report.bySet.ada).toEqual({ questions: 2, recallAt6: 50, recallAt10: 75, charsAt6: 150 });
    expect(report).toMatchObject({ searchMs: { p50: 20, p95: 29 }, tookMs: { p50: 10, p95: 14.5 }, indexMs: 1235 });
    expect(report.degraded).toBe(1);
  });

  test("begins with what programs read", () => {
    expect(Object.keys(reportOf(all, [], 0)).slice(0, 7)).toEqual([
      "questions",
      "recallAt6",
      "recallAt10",
      "charsAt6",
      "byCategory",
      "searchMs",
      "indexMs",
    ]);
  });

  test("names the words that were not found", () => {
    const words = [{ set: "ada", list: "words.json", words: 3, missed: ["茶"] }];
    expect(reportOf(all, words, 0).words).toEqual({ "words.json": { words: 3, found: 2, missed: ["茶"] } });
  });
});
