import { env } from "cloudflare:test";
import { afterEach, expect, test } from "vitest";
import { indexedPathTerms, indexedTerms, indexTerm } from "../../../src/memory/text/terms.ts";

/** An agent and rows above all that other tests use: they share the table. */
const MEMORY_ID = 9_000_001;
const FIRST_ROW = 9_000_000_000;

afterEach(async () => {
  await env.MEMORY.prepare("DELETE FROM chunk_terms WHERE rowid >= ?").bind(FIRST_ROW).run();
});

async function index(rows: string[]): Promise<void> {
  await env.MEMORY.prepare(`INSERT INTO chunk_terms (rowid, terms)
    SELECT 1 + max(?1 - 1, coalesce((SELECT max(rowid) FROM chunk_terms), 0)) + key, value FROM json_each(?2)`)
    .bind(FIRST_ROW, JSON.stringify(rows))
    .run();
}

async function vocabulary(): Promise<Set<string>> {
  const { results } = await env.MEMORY.prepare("SELECT term FROM chunk_vocab WHERE term GLOB ?")
    .bind(`${MEMORY_ID}a*`)
    .all<{ term: string }>();
  return new Set(results.map(({ term }) => term));
}

async function foundBy(query: string): Promise<number[]> {
  const match = indexedTerms(MEMORY_ID, query)
    .split(" ")
    .map((term) => `"${term}"`)
    .join(" ");
  const { results } = await env.MEMORY.prepare("SELECT rowid AS id FROM chunk_terms WHERE chunk_terms MATCH ?")
    .bind(match)
    .all<{ id: number }>();
  return results.map(({ id }) => id - FIRST_ROW + 1);
}

test("FTS5 does not change a term with any letter, digit, accent or emoji of Unicode", async () => {
  const terms: string[] = [];
  for (let code = 0x21; code <= 0x1ffff; code++) {
    const character = String.fromCodePoint(code);
    if (!/[\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/u.test(character)) continue;
    terms.push(...indexedTerms(MEMORY_ID, `x${character}y ${character}`).split(" "));
  }
  for (const rare of "𠀀𪛖𪜀𫝀𫠠𬺰𰀀𱍐𲎰") terms.push(indexedTerms(MEMORY_ID, rare));
  const known = new Set(terms);
  for (let at = 0; at < terms.length; at += 20_000) await index([terms.slice(at, at + 20_000).join(" ")]);
  const vocab = await vocabulary();
  expect([...known].filter((term) => !vocab.has(term))).toEqual([]);
  expect(vocab.size).toBe(known.size);
});

test("terms of different agents differ", async () => {
  expect(indexedTerms(1, "12 apples").split(" ")).toEqual(["1a12", "1aappl"]);
  expect(indexTerm(11, "2a")).not.toBe(indexTerm(1, "12a"));
});

test("a path is indexed by its words and its day, month and year", () => {
  expect(indexedPathTerms(3, "memory/2023-05-08.md").split(" ")).toEqual(
    expect.arrayContaining(["3amemori", "3a2023", "3a202305", "3a20230508", "3a8", "3a5", "3amd"]),
  );
});

test("FTS5 finds Chinese, Japanese and Korean by characters and pairs", async () => {
  await index([
    indexedTerms(MEMORY_ID, "观念艺术在1960年代"),
    indexedTerms(MEMORY_ID, "東京タワーへ行く"),
    indexedTerms(MEMORY_ID, "한국어 공부"),
  ]);
  expect(await foundBy("艺")).toEqual([1]);
  expect(await foundBy("タワー")).toEqual([2]);
  expect(await foundBy("국")).toEqual([3]);
  expect(await foundBy("1960")).toEqual([1]);
});
