import { expect, test } from "vitest";
import { meanScores, scorePage } from "./page-score.ts";

const page = {
  id: "x",
  url: "https://example.org/",
  mustContain: ["Forty lanterns, counted", "Day 1"],
  mustNotContain: ["Share"],
};

test("passages are found whatever marks and links stand in them", () => {
  const text = "**Forty** [lanterns](https://example.org/share), *counted*.\n\n## Day 1";
  expect(scorePage(text, page)).toEqual({ recall: 1, leak: 0 });
});

test("a short passage counts as whole words only, and a missing one counts", () => {
  expect(scorePage("Forty lanterns, counted on day 12. Shared.", page)).toEqual({ recall: 0.5, leak: 0 });
  expect(scorePage("Share", page)).toEqual({ recall: 0, leak: 1 });
});

test("a page's score is what was found, less what leaked; pages without passages count as they can", () => {
  expect(
    meanScores([
      { recall: 1, leak: 0.5 },
      { recall: 0.5, leak: undefined },
    ]),
  ).toEqual({
    pages: 2,
    recall: 75,
    leak: 50,
    score: 50,
  });
});
