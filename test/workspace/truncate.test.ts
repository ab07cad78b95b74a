import { describe, expect, test } from "vitest";
import { makeExcerpt, truncate } from "../../src/workspace/truncate.ts";

function cut(text: string, max: number, fileMax = max) {
  return truncate(makeExcerpt(text, fileMax), max, "NOTES.md");
}

describe("truncating a text", () => {
  test("changes nothing up to the limit", () => {
    expect(cut("x".repeat(20_000), 20_000)).toEqual({ content: "x".repeat(20_000), truncated: false });
    expect(cut("x".repeat(20_001), 20_000).truncated).toBe(true);
  });

  test("keeps 70 % of the limit from its start and 20 % from its end", () => {
    const text = "a".repeat(30_000) + "z".repeat(30_000);
    const { content } = cut(text, 20_000);
    expect(content.startsWith("a".repeat(14_000))).toBe(true);
    expect(content.startsWith("a".repeat(14_001))).toBe(false);
    expect(content.endsWith("z".repeat(4_000))).toBe(true);
    expect(content.endsWith("z".repeat(4_001))).toBe(false);
    expect(content.length).toBeLessThanOrEqual(20_000);
  });

  test("adds a marker with the missing length and the file to read", () => {
    const { content } = cut("x".repeat(50_000), 20_000);
    expect(content).toContain("32000 of 50000 characters");
    expect(content).toContain("read NOTES.md");
  });

  test("never splits a surrogate pair, whatever the limit", () => {
    const text = "😀".repeat(400);
    for (let max = 0; max < 780; max++) {
      const { content } = cut(text, max);
      expect(content.isWellFormed()).toBe(true);
      expect(content.length).toBeLessThanOrEqual(max);
    }
  });

  test("never splits an accent, a flag, a joined emoji or a CRLF, whatever the limit", () => {
    for (const character of ["e\u0301", "🇩🇪", "👩\u200d👩\u200d👧", "\r\n", "각"]) {
      const text = character.repeat(400);
      for (let max = 200; max < 260; max++) {
        const { content } = cut(text, max);
        const [start = "", end = ""] = content.split(/\n\n\[.*\]\n\n/);
        expect(start.length % character.length, `${JSON.stringify(character)} at ${max}`).toBe(0);
        expect(end.length % character.length).toBe(0);
      }
    }
  });

  test("works for a smaller limit than the excerpt's", () => {
    const text = Array.from({ length: 6_000 }, (_, i) => String(i).padStart(5, "0")).join("");
    const { content } = cut(text, 1_000, 20_000);
    expect(content.startsWith(text.slice(0, 700))).toBe(true);
    expect(content.endsWith(text.slice(-200))).toBe(true);
    expect(content).toContain("29100 of 30000");
  });
});
