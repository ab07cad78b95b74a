import { expect, test } from "vitest";
import { batches } from "../../src/lib/batches.ts";

const lengths = (items: string[], most: { size: number; count?: number }) => [
  ...batches(items, (item) => item.length, most),
];

test("items that fit share a batch, in order", () => {
  expect(lengths(["aa", "bb", "c", "dddd", "e"], { size: 5 })).toEqual([
    ["aa", "bb", "c"],
    ["dddd", "e"],
  ]);
  expect(lengths(["a", "b", "c"], { size: 5, count: 2 })).toEqual([["a", "b"], ["c"]]);
  expect(lengths([], { size: 5 })).toEqual([]);
});

test("an item over the size is a batch of its own", () => {
  expect(lengths(["a", "bbbbbbbb", "c"], { size: 5 })).toEqual([["a"], ["bbbbbbbb"], ["c"]]);
});
