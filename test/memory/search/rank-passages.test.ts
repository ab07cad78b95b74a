import { expect, test } from "vitest";
import { memorySearch } from "../../../src/config/memory-schema.ts";
import type { Hit } from "../../../src/memory/agent-memory.ts";
import { ageDecay, dateBoost } from "../../../src/memory/search/boosts.ts";
import { weighClues } from "../../../src/memory/search/clues.ts";
import { snippetSize } from "../../../src/memory/search/lines.ts";
import { parseQuery } from "../../../src/memory/search/parse-query.ts";
import type { Candidate } from "../../../src/memory/search/query-index.ts";
import {
  chooseVaried,
  chunkNearness,
  fuse,
  type Ranking,
  rankPassages,
  searchWeights,
} from "../../../src/memory/search/rank-passages.ts";
import { chunkText } from "../../../src/memory/text/chunk.ts";

const { hybrid } = memorySearch.parse({}).query;
const NOW = Date.UTC(2026, 5, 10);
/** A ranking that shows good passages only. */
const STRICT = { minScore: 0.35 };

function candidatesOf(path: string, text: string): Candidate[] {
  return [...chunkText(text, { tokens: 400, overlap: 80 })].map((chunk, at) => ({
    chunkId: at + 1,
    path,
    source: "memory",
    startLine: chunk.startLine,
    text: chunk.text,
    keyword: { rank: at + 1, bm25: 1 },
  }));
}

/** Ranks as if one in a hundred chunks had each word. */
function rank(candidates: readonly Candidate[], text: string, ranking: Partial<Ranking> = {}): Hit[] {
  const query = parseQuery(text);
  const counts = new Map(query.clues.flatMap(({ terms }) => terms.map((term) => [term, 1] as const)));
  const clues = weighClues(query.clues, counts, 100);
  const weights = { text: 1, vector: 0 };
  const usual = { query, clues, weights, asked: 24, maxResults: 6, minScore: 0, settings: hybrid, now: NOW };
  return rankPassages(candidates, { ...usual, ...ranking });
}

/** A seeded generator of random numbers. */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("a snippet of any file is its lines or a part of one line, and no line occurs twice", () => {
  const words = ["tea", "coffee", "garden", "walk", "今日", "茶を", "飲んだ。", "Zoë's", "🍵", "foo_bar", "-", "##"];
  for (let seed = 1; seed <= 150; seed++) {
    const chance = chanceOf(seed);
    const line = () => {
      const length = chance() < 0.1 ? 900 : chance() < 0.2 ? 0 : Math.floor(chance() * 25);
      return Array.from({ length }, () => words[Math.floor(chance() * words.length)]).join(chance() < 0.1 ? "" : " ");
    };
    const lines = Array.from({ length: 1 + Math.floor(chance() * 60) }, line);
    const shown = new Set<number>();
    for (const hit of rank(candidatesOf("memory/a.md", lines.join("\n")), "tea in the garden 茶")) {
      const stands = lines.slice(hit.startLine - 1, hit.endLine).join("\n");
      const isPart = hit.startLine === hit.endLine;
      // A line next to the passage may be cut; the others are whole.
      const isCut = hit.snippet.startsWith("…") || hit.snippet.endsWith("…");
      const whole = hit.snippet.replace(/^…|…$/g, "");
      expect(isPart || isCut ? stands.includes(whole) : stands === hit.snippet).toBe(true);
      expect(snippetSize(hit.snippet)).toBeLessThanOrEqual(700);
      expect(hit.snippet.trim()).not.toBe("");
      if (hit.snippet === stands) {
        for (let number = hit.startLine; number <= hit.endLine; number++) {
          expect(shown.has(number)).toBe(false);
          shown.add(number);
        }
      }
    }
  }
});

test("the best part of a line that is longer than a snippet is shown", () => {
  const before = "Nothing of note was said about it at all. ".repeat(40);
  const line = `${before}The spare key is under the blue flowerpot. ${before}`;
  const [hit] = rank(candidatesOf("memory/a.md", line), "where is the spare key?");
  expect(hit).toMatchObject({ startLine: 1, endLine: 1 });
  expect(hit?.snippet).toContain("The spare key is under the blue flowerpot.");
  expect(hit?.snippet.length).toBeLessThanOrEqual(700);
});

test("space that is left shows the beginning of the next line, or the end of the one before, at whole words", () => {
  const long = `${"Some words that fill a line and say nothing at all ".repeat(13)}and more words`;
  const key = "The spare key is under the pot.";
  const [hit] = rank(candidatesOf("memory/a.md", `${key}\n${long}`), "spare key", { maxResults: 1 });
  expect(hit).toMatchObject({ startLine: 1, endLine: 2 });
  expect(hit?.snippet).toMatch(/^The spare key is under the pot\.\nSome words [\s\S]* \w+…$/);
  expect(hit?.snippet.length).toBeGreaterThan(670);
  const [last] = rank(candidatesOf("memory/b.md", `${long}\n${key}`), "spare key", { maxResults: 1 });
  expect(last?.snippet).toMatch(/^…\w+ [\s\S]*\nThe spare key is under the pot\.$/);
});

test("what several notes say alike is one result, from the newest, with how often it stands elsewhere", () => {
  const notes = Array.from({ length: 9 }, (_, day) =>
    candidatesOf(`memory/2026-05-0${day + 1}.md`, `# 2026-05-0${day + 1}\n\n- Standup ${day}: the launch is on track.`),
  ).flat();
  const decision = candidatesOf("memory/2026-04-02.md", "- We decided to move the launch to 4 June.");
  const all = [...notes, ...decision].map((candidate, at) => ({ ...candidate, chunkId: at + 1 }));
  const hits = rank(all, "when is the launch", STRICT);
  expect(hits.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["memory/2026-05-09.md", "memory/2026-04-02.md"]),
  );
  expect(hits).toHaveLength(2);
  expect(hits.find(({ path }) => path.includes("05-09"))?.reason.repeats).toBe(8);
});

test("a file gives at most half of the results where other files have some", () => {
  const subjects = ["kettle", "pot", "cup", "leaf", "spoon", "filter", "box", "label"];
  const line = (subject: string) => `The tea ${subject} is in the kitchen.\n${"\n".repeat(4)}${"Nothing. ".repeat(70)}`;
  const full = candidatesOf("MEMORY.md", subjects.map(line).join("\n"));
  const others = ["a", "b", "c"].map((name) =>
    candidatesOf(`memory/${name}.md`, `Also some tea, of kind ${name}${name}.`),
  );
  const all = [...full, ...others.flat()].map((candidate, at) => ({ ...candidate, chunkId: at + 1 }));
  const hits = rank(all, "tea kitchen", STRICT);
  expect(hits.filter(({ path }) => path === "MEMORY.md")).toHaveLength(3);
  expect(rank(full, "tea kitchen", STRICT).length).toBeGreaterThan(3);
});

test("Chinese snippets have fewer characters", () => {
  const line = "我们今天在公园里喝茶，聊了很久。";
  const [hit] = rank(candidatesOf("memory/a.md", Array(60).fill(line).join("\n")), "喝茶");
  expect(hit?.snippet.length).toBeGreaterThan(250);
  expect(hit?.snippet.length).toBeLessThanOrEqual(345);
});

test("a line with all words ranks before lines with one of them repeated", () => {
  const lines = ["tea tea tea tea", "", "", "", "green tea from the garden", "", "", "", "garden garden garden"];
  const [hit] = rank(candidatesOf("memory/a.md", lines.join("\n\n")), "tea garden", { maxResults: 1 });
  expect(hit?.snippet).toContain("green tea from the garden");
});

test("weights are as configured, vectors of letters weigh less, and words replace an unknown nearness", () => {
  expect(searchWeights(hybrid, undefined)).toEqual({ text: 1, vector: 0 });
  expect(searchWeights(hybrid, "meaning")).toEqual({ text: 0.3, vector: 0.7 });
  expect(searchWeights(hybrid, "letters").vector).toBeLessThan(0.1);
  expect(searchWeights({ ...hybrid, enabled: false }, "meaning")).toEqual({ text: 0, vector: 1 });
  expect(searchWeights({ ...hybrid, textWeight: 0, vectorWeight: 0 }, "meaning")).toEqual({ text: 1, vector: 0 });
  expect(fuse(0.5, 1, { text: 0.3, vector: 0.7 })).toBeCloseTo(0.85);
  expect(fuse(0.5, undefined, { text: 0.3, vector: 0.7 })).toBe(0.5);
});

test("a chunk that is not among the nearest gets the nearness of the last one unless the list is complete", () => {
  const [chunk] = candidatesOf("memory/a.md", "tea") as [Candidate];
  const nearest = [0.9, 0.4].map((similarity, at) => ({ ...chunk, vector: { rank: at + 1, similarity } }));
  expect(chunkNearness(nearest, 2)(chunk)).toBe(0.4);
  expect(chunkNearness(nearest, 3)(chunk)).toBeUndefined();
  expect(chunkNearness(nearest, 2)(nearest[0] as Candidate)).toBe(0.9);
});

test("a passage found by words only passes by its score by words", () => {
  const [chunk] = candidatesOf("memory/a.md", "oolong tea") as [Candidate];
  const far = {
    ...chunk,
    chunkId: 9,
    path: "memory/b.md",
    text: "something else",
    vector: { rank: 1, similarity: 0.05 },
  };
  delete far.keyword;
  const hits = rank([chunk, far], "oolong tea", { minScore: 0.8, asked: 1, weights: { text: 0.3, vector: 0.7 } });
  expect(hits.map(({ path }) => path)).toEqual(["memory/a.md"]);
  expect(hits[0]?.score).toBeLessThan(0.8);
});

test("only daily notes age, and only if that is on", () => {
  expect(ageDecay("memory/2026-05-11.md", 30, NOW)).toBeCloseTo(0.5);
  expect(ageDecay("memory/2026-05-11-trip.md", 30, NOW)).toBeCloseTo(0.5);
  expect(ageDecay("memory/2026-07-01.md", 30, NOW)).toBe(1);
  for (const path of ["MEMORY.md", "memory/tea.md", "notes/2026-05-11.md"])
    expect(ageDecay(path, 30, NOW)).toBeUndefined();
  const settings = { ...hybrid, temporalDecay: { enabled: true, halfLifeDays: 30 } };
  const [note] = candidatesOf("memory/2026-05-11.md", "Drank tea.") as [Candidate];
  const [fresh] = rank([note], "tea");
  const [aged] = rank([note], "tea", { settings });
  expect(aged?.score).toBeCloseTo((fresh?.score ?? 0) / 2);
  expect([fresh?.reason.decay, aged?.reason.decay]).toEqual([undefined, expect.closeTo(0.5)]);
});

test("a passage that repeats another one is dropped", () => {
  const [hit] = rank(candidatesOf("memory/a.md", "The tea from Assam is in the upper drawer."), "tea") as [Hit];
  const hits = [
    hit,
    { ...hit, path: "memory/copy.md", score: hit.score - 0.01 },
    { ...hit, path: "memory/b.md", snippet: "Tea with Ada on Friday at four.", score: hit.score - 0.1 },
  ];
  expect(chooseVaried(hits, 2, 0.7).map(({ path }) => path)).toEqual(["memory/a.md", "memory/b.md"]);
  expect(chooseVaried(hits, 2, 1).map(({ path }) => path)).toEqual(["memory/a.md", "memory/copy.md"]);
});

test("a date in the query boosts the note of that day, and notes of the following days less", () => {
  const dates = parseQuery("on 8 May 2026").dates;
  const near = ["05-07", "05-08", "05-09", "05-14", "05-20"].map((day) => dateBoost(`memory/2026-${day}.md`, dates));
  expect(near[1]).toBe(1);
  expect([near[0], near[4]]).toEqual([0, 0]);
  expect(near[2]).toBeGreaterThan(near[3] ?? 1);
  expect(dateBoost("memory/2026-05-20.md", parseQuery("in May").dates)).toBe(0.5);
  expect(dateBoost("memory/2025-05-20.md", parseQuery("in May 2026").dates)).toBe(0);
  expect(dateBoost("memory/tea.md", dates)).toBe(0);
});
