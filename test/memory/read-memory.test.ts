import { describe, expect, test } from "vitest";
import { linesFrom } from "../../src/memory/read-memory.ts";

const ALL = { from: 1, lines: 100, maxChars: 1000 };

describe("reading lines", () => {
  test("returns line numbers and the next line", () => {
    const text = "one\ntwo\r\nthree\nfour\n";
    expect(linesFrom(text, ALL)).toEqual({ text: "one\ntwo\nthree\nfour", startLine: 1, endLine: 4, totalLines: 4 });
    expect(linesFrom(text, { ...ALL, from: 2, lines: 2 })).toEqual({
      text: "two\nthree",
      startLine: 2,
      endLine: 3,
      totalLines: 4,
      next: 4,
    });
  });

  test("returns whole lines and leaves one that does not fit to the next passage", () => {
    const text = "aaaa\nbbbb\ncccc";
    expect(linesFrom(text, { ...ALL, maxChars: 9 })).toMatchObject({ text: "aaaa\nbbbb", endLine: 2, next: 3 });
    expect(linesFrom(text, { ...ALL, maxChars: 8 })).toMatchObject({ text: "aaaa", endLine: 1, next: 2 });
    expect(linesFrom(text, { ...ALL, maxChars: 14 })).not.toHaveProperty("next");
  });

  test("cuts a single line that is too long between characters, and says so", () => {
    const giant = `${"x".repeat(9)}👍🏽y`;
    const cut = { text: "x".repeat(9), startLine: 1, endLine: 1, isCut: true };
    expect(linesFrom(`${giant}\nlast`, { ...ALL, maxChars: 11 })).toEqual({ ...cut, totalLines: 2, next: 2 });
    expect(linesFrom(giant, { ...ALL, maxChars: 11 })).toEqual({ ...cut, totalLines: 1 });
  });

  test("returns nothing after the end and for an empty file", () => {
    const nothing = { text: "", startLine: 0, endLine: 0 };
    expect(linesFrom("one\ntwo", { ...ALL, from: 3 })).toEqual({ ...nothing, totalLines: 2 });
    expect(linesFrom("", ALL)).toEqual({ ...nothing, totalLines: 0 });
    expect(linesFrom("\n\n", ALL)).toEqual({ text: "\n", startLine: 1, endLine: 2, totalLines: 2 });
  });
});
