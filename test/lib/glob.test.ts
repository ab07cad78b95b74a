import { expect, test } from "vitest";
import { globMatcher } from "../../src/lib/glob.ts";

const PATHS = ["README.md", "a.txt", "memory/2026-01-31.md", "memory/deep/x.md", "notes/a[1].md", "notes/été (1).md"];

test.each([
  ["*.md", ["README.md", "memory/2026-01-31.md", "memory/deep/x.md", "notes/a[1].md", "notes/été (1).md"]],
  ["readme*", ["README.md"]],
  ["memory/*.md", ["memory/2026-01-31.md"]],
  ["./memory/*", ["memory/2026-01-31.md"]],
  ["memory/**", ["memory/2026-01-31.md", "memory/deep/x.md"]],
  ["**/x.md", ["memory/deep/x.md"]],
  ["**/*.txt", ["a.txt"]],
  ["{a,README}.*", ["README.md", "a.txt"]],
  ["memory/20??-*.md", ["memory/2026-01-31.md"]],
  ["[!a-qé0-9]*.md", ["README.md", "memory/deep/x.md"]],
  ["memory/[0-9]*", ["memory/2026-01-31.md"]],
  ["a[[]1].md", ["notes/a[1].md"]],
  ["*é*(1).md", ["notes/été (1).md"]],
  ["a.tx", []],
])("%s names what it says", (glob, expected) => {
  expect(PATHS.filter(globMatcher(glob))).toEqual(expected);
});

test("invalid globs are refused, and matching is fast for hostile ones", () => {
  expect(() => globMatcher("")).toThrow("1 to 400");
  expect(() => globMatcher("x".repeat(401))).toThrow("1 to 400");
  expect(() => globMatcher("{a,b")).toThrow("a { is not closed");
  expect(globMatcher(`${"*a".repeat(100)}b`)("a".repeat(1000))).toBe(false);
});
