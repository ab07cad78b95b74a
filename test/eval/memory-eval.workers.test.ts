import { expect, test } from "vitest";
import { call } from "../flow/client.ts";
import { openDoor } from "./memory-door.ts";
import { readFolder } from "./memory-folder.ts";
import { askQuestions, askWords, indexSet } from "./memory-run.ts";
import { reportOf, type Scored, type ScoredWords } from "./memory-score.ts";

const ROOT = "../fixtures/memory-eval/";
const found = import.meta.glob<string>("../fixtures/memory-eval/**/*", {
  query: "?raw",
  import: "default",
  eager: true,
});
const files = new Map(Object.entries(found).map(([path, text]) => [path.slice(ROOT.length), text]));
/** Agents of the configuration that tests run with. */
const AGENTS = ["other", "third"];

test("notes in English and in Chinese answer the questions that are asked of them, in little space", async () => {
  const { sets } = readFolder(files);
  const scored: Scored[] = [];
  const words: ScoredWords[] = [];
  for (const [index, set] of sets.entries()) {
    const door = openDoor(call, AGENTS[index] ?? "");
    await indexSet(door, set, () => {});
    scored.push(...(await askQuestions(door, set, () => {})));
    words.push(...(await askWords(door, set)));
  }
  const report = reportOf(scored, words, 0);
  expect(report.questions).toBe(36);
  expect(report.degraded).toBe(0);
  expect(report.recallAt6).toBeGreaterThanOrEqual(95);
  expect(report.bySet["bookshop-zh"]?.recallAt6).toBeGreaterThanOrEqual(95);
  expect(report.maxCharsAt6).toBeLessThanOrEqual(4_200);
  expect(report.words["words.zh.json"]?.missed).toEqual([]);
});
