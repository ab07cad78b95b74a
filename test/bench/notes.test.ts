import { describe, expect, test } from "vitest";
import { chanceOf, writeNotes } from "./notes.ts";

describe("generated notes", () => {
  const notes = writeNotes(200, 20);
  const text = [...notes.files.values()].join("\n");

  test("are the same for the same seed, and others for another one", () => {
    expect(writeNotes(200, 20)).toEqual(notes);
    expect(writeNotes(200, 20, 8).files).not.toEqual(notes.files);
  });

  test("are as long as so many chunks, a file a day", () => {
    expect([...notes.files.keys()]).toEqual([1, 2, 3, 4].map((day) => `memory/2019-01-0${day}.md`));
    expect(text.length / 200 / 1250).toBeCloseTo(1, 1);
  });

  test("have words that are as frequent as those of real texts", () => {
    const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
    const counts = [...Map.groupBy(words, (word) => word).values()].map((all) => all.length).sort((a, b) => b - a);
    expect((counts[0] ?? 0) / (counts[9] ?? 1)).toBeGreaterThan(7);
    expect((counts[0] ?? 0) / (counts[9] ?? 1)).toBeLessThan(13);
    expect(counts.length).toBeGreaterThan(5_000);
  });

  test("are asked for with words of the line that is the evidence", () => {
    for (const { query, evidence } of notes.questions) {
      const [, first, second, third] = /^When did the (\w+) (\w+) by the (\w+)\?$/.exec(query) ?? [];
      const [{ path, line } = { path: "", line: 0 }] = evidence;
      const words = notes.files
        .get(path)
        ?.split("\n")
        [line - 1]?.toLowerCase()
        .match(/[a-z]+/g);
      expect(words).toEqual(expect.arrayContaining([first, second, third]));
    }
  });
});

test("chance is spread over 0 to 1", () => {
  const chance = chanceOf(1);
  const numbers = Array.from({ length: 10_000 }, chance);
  expect(numbers.reduce((sum, number) => sum + number, 0) / numbers.length).toBeCloseTo(0.5, 1);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
});
