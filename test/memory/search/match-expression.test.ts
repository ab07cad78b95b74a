import { expect, test } from "vitest";
import { weighClues } from "../../../src/memory/search/clues.ts";
import { matchExpression } from "../../../src/memory/search/match-expression.ts";
import { parseQuery } from "../../../src/memory/search/parse-query.ts";

const ALL = 100_000;

function match(query: string, chunksWith: Record<string, number>, all = ALL) {
  return matchExpression(3, weighClues(parseQuery(query).clues, new Map(Object.entries(chunksWith)), all), all);
}

test("words are quoted and combined with OR, the rarest first", () => {
  const expected = '"3aoolong" OR "3atea"';
  expect(match("tea oolong", { tea: 40, oolong: 2 })).toEqual({ expression: expected, isWide: false });
});

test("no word of a query becomes an operator of FTS5", () => {
  const found = match('tea* AND "(NOT) NEAR', { tea: 1, near: 1 })?.expression;
  expect(found?.split(" OR ").toSorted()).toEqual(['"3anear"', '"3atea"']);
});

test("words in no chunk are left out of the expression", () => {
  expect(match("tea xyzzy", { tea: 40 })?.expression).toBe('"3atea"');
  expect(match("xyzzy", {})).toBeUndefined();
});

test("frequent words are combined in pairs while few enough chunks match", () => {
  const found = match("tea project plan meeting", { tea: 1_200, project: 3_000, plan: 5_000, meet: 60_000 });
  expect(found).toEqual({ expression: '"3atea" OR ("3aproject" AND "3aplan")', isWide: false });
});

test("words that match too many chunks together are not all searched singly", () => {
  expect(match("tea oolong", { tea: 1_000, oolong: 700 })?.expression).toBe('"3aoolong" OR "3atea"');
  expect(match("tea oolong", { tea: 1_001, oolong: 700 })?.expression).toBe('"3aoolong"');
  expect(match("tea", { tea: 1_701 })?.isWide).toBe(true);
});

test("if every word is too frequent, as many as necessary are combined with AND", () => {
  const found = match("project plan meeting", { project: 40_000, plan: 50_000, meet: 60_000 });
  expect(found).toEqual({ expression: '"3aproject" AND "3aplan" AND "3ameet"', isWide: true });
  expect(match("meeting", { meet: 60_000 })).toEqual({ expression: '"3ameet"', isWide: true });
});

test("pairs of characters are phrases, and dates are searched in the path", () => {
  expect(match("茶道", { 茶: 10, 道: 10 })?.expression).toBe('"3a茶 3a道"');
  expect(match("2023-05-08", { "20230508": 4 })?.expression).toContain('place : "3a20230508"');
});

test("a long query keeps the words with the highest weight", () => {
  const words = Array.from(
    { length: 300 },
    (_, at) => `${String.fromCharCode(97 + (at % 26))}${"o".repeat(at % 12)}x${"z".repeat(Math.floor(at / 26))}`,
  );
  const counts = Object.fromEntries(words.map((word, at) => [word, at + 1]));
  const found = match(words.join(" "), counts)?.expression.split(" OR ") ?? [];
  expect(found.length).toBeGreaterThan(30);
  expect(found.filter((one) => !one.includes(" AND ")).length).toBeLessThanOrEqual(64);
  // The number of pairs of eight words.
  expect(found.length).toBeLessThanOrEqual(64 + 28);
  expect(found[0]).toBe('"3aax"');
});
