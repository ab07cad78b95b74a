import { expect, test } from "vitest";
import { headingsOf } from "../../src/docs/headings.ts";

test("headings have the slugs that links on GitHub have", () => {
  const text = "# What's `new`?\n\n## One & two\n## 快速 开始\n### One & two\n## a_b-c 1.2";
  expect(headingsOf(text).map(({ slug }) => slug)).toEqual([
    "whats-new",
    "one--two",
    "快速-开始",
    "one--two-1",
    "a_b-c-12",
  ]);
});

test("a line in a code fence is not a heading", () => {
  const text = "# A\n```sh\n# comment\n```\n## B\n~~~~\n# c\n```\n# d\n~~~~\n## E";
  expect(headingsOf(text).map(({ text: words, line }) => [words, line])).toEqual([
    ["A", 1],
    ["B", 5],
    ["E", 11],
  ]);
});
