import { expect, test } from "vitest";
import { parseQuery } from "../../../src/memory/search/parse-query.ts";

function clues(text: string): [key: string, weight: number][] {
  return parseQuery(text).clues.map(({ key, weight }) => [key, weight]);
}

test("stop words are left out unless there are no other words", () => {
  expect(clues("What did the cats do?")).toEqual([["cat", 1]]);
  expect(clues("who are you")).toEqual([
    ["who", 1],
    ["be", 1],
    ["you", 1],
  ]);
});

test("a run of up to four characters gives pairs, a longer one also characters, a single character itself", () => {
  expect(clues("茶")).toEqual([["茶", 1]]);
  expect(clues("观念艺术")).toEqual([
    ["观念", 1],
    ["念艺", 1],
    ["艺术", 1],
  ]);
  const long = clues("在医院体检");
  expect(long.filter(([, weight]) => weight === 1).map(([key]) => key)).toEqual(["在医", "医院", "院体", "体检"]);
  expect(long.filter(([, weight]) => weight === 0.5).map(([key]) => key)).toEqual(["在", "医", "院", "体", "检"]);
});

test("a pair is a phrase, and a date belongs to the path", () => {
  expect(parseQuery("茶道").clues).toEqual([
    { key: "茶道", terms: ["茶", "道"], where: "text", spelled: "茶道", weight: 1 },
  ]);
  expect(parseQuery("8 May 2023").clues[0]).toEqual({
    key: "@20230508",
    terms: ["20230508"],
    where: "path",
    spelled: "20230508",
    weight: 1,
  });
});

test("the whole query and quoted texts are phrases, a single word is not", () => {
  expect(parseQuery('Who said "Never Again"?').phrases).toEqual(['who said "never again', "never again"]);
  expect(parseQuery("marmalade").phrases).toEqual([]);
});

test("the number of clues of a query is limited", () => {
  const words = Array.from({ length: 2_000 }, (_, at) => `w${at}`).join(" ");
  expect(parseQuery(words).clues).toHaveLength(512);
});
