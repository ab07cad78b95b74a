import { expect, test } from "vitest";
import type { MemoryResults } from "../../src/client/wire.ts";
import { marked, similarityName, whyFound } from "../../src/web/memory-words.ts";
import { textsFor } from "../../src/web/texts.ts";

/** A passage with what is marked in it between stars. */
function shown(passage: string, terms: string[]): string {
  return marked(passage, terms)
    .map(({ text, isAsked }) => (isAsked ? `*${text}*` : text))
    .join("");
}

test("the words of a query are marked in a passage, in any case and in other forms, and nothing else", () => {
  expect(shown("The Dentist called.", ["dentist"])).toBe("The *Dentist* called.");
  expect(shown("Cats are vaccinated; vaccination is in May.", ["vaccinate"])).toBe(
    "Cats are *vaccinated*; *vaccination* is in May.",
  );
  expect(shown("A plane is no plant, and an apple no ape.", ["plan", "app"])).toBe(
    "A *plane* is no plant, and an apple no ape.",
  );
  expect(shown("<b>tea</b> tea", ["tea"])).toBe("<b>*tea*</b> *tea*");
  expect(shown("No word of it.", [])).toBe("No word of it.");
  expect(shown("", ["tea"])).toBe("");
});

test("Chinese words are marked wherever they stand, and what touches is one mark", () => {
  expect(shown("下周去里斯本旅行，里斯本！", ["里斯", "斯本"])).toBe("下周去*里斯本*旅行，*里斯本*！");
  expect(shown("猫叫小虎 Tiger", ["猫", "tiger"])).toBe("*猫*叫小虎 *Tiger*");
});

test("the reasons of a hit are words in the page's language", () => {
  const reason: MemoryResults["results"][number]["reason"] = {
    legs: "both",
    keyword: { rank: 1, score: 1, terms: ["a", "b", "c", "d", "e", "f", "g"] },
    vector: { rank: 2, score: 0.5, similarity: 0.714 },
    boosts: ["path", "phrase"],
    decay: 0.5,
  };
  expect(whyFound(reason, "meaning", textsFor(["en"]).texts)).toEqual([
    "words: a, b, c, d, e, f …",
    ...["meaning 0.71", "exact phrase", "matches its path", "age factor 50 %"],
  ]);
  const { texts: chinese } = textsFor(["zh"]);
  const near = { legs: "vector", vector: { rank: 1, score: 1, similarity: 1 }, boosts: [] } as const;
  const similarity = similarityName({ embedder: { provider: "local", model: "hash-1" } }, chinese);
  expect(whyFound({ ...near, boosts: [] }, similarity, chinese)).toEqual(["字形 1.00"]);
  expect(similarityName({}, chinese)).toBe("语义");
});
