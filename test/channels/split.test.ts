import { describe, expect, test } from "vitest";
import { splitRuns } from "../../src/channels/split.ts";
import { type Mark, plainText, type StyledRun } from "../../src/channels/styled-text.ts";

const code: Mark = { kind: "preformatted" };

function split(text: string | StyledRun[], units: number): string[] {
  const runs = typeof text === "string" ? [{ text, marks: [] }] : text;
  return splitRuns(runs, { units, most: units, size: (part) => plainText(part).length }).map(plainText);
}

describe("splitting a text into parts", () => {
  test("a text that fits stays one part", () => {
    expect(split("as long as this", 15)).toEqual(["as long as this"]);
    expect(split("", 15)).toEqual([]);
  });

  test("a cut prefers blocks to lines, lines to sentences, sentences to words", () => {
    expect(split("One two.\n\nThree.\nFour. Five six", 28)).toEqual(["One two.\n\nThree.\n", "Four. Five six"]);
    expect(split("One two. Three.\n\nFour\nfive. Six seven", 28)).toEqual([
      "One two. Three.\n\n",
      "Four\nfive. Six seven",
    ]);
    expect(split("One two three. Four five six", 24)).toEqual(["One two three. ", "Four five six"]);
    expect(split("one two three four", 12)).toEqual(["one two ", "three four"]);
  });

  test("a part is filled at least half, unless a word would be cut", () => {
    expect(split("Yes.\n\nA long line that goes on and on", 24)[0]).toBe("Yes.\n\nA long line that ");
    expect(split(`Yes. ${"x".repeat(20)}`, 20)).toEqual(["Yes. ", "x".repeat(20)]);
  });

  test("a cut after a Chinese sentence needs no space", () => {
    expect(split("今天天气很好。我们去公园吧！你想去吗", 14)).toEqual(["今天天气很好。我们去公园吧！", "你想去吗"]);
    expect(split("他说：“我不去了。”然后就走了啊", 12)).toEqual(["他说：“我不去了。”", "然后就走了啊"]);
  });

  test("code is cut at a line, without preference for its blank lines", () => {
    const runs = [
      { text: "See:\n\n", marks: [] },
      { text: "a = 1\nb = 2\n\nc = 3\nd = 4", marks: [code] },
    ];
    expect(split(runs, 26)).toEqual(["See:\n\na = 1\nb = 2\n\nc = 3\n", "d = 4"]);
  });

  test("a word longer than a part is cut between graphemes", () => {
    expect(split("x".repeat(25), 10)).toEqual(["x".repeat(10), "x".repeat(10), "x".repeat(5)]);
    expect(split("👩‍👩‍👧".repeat(3), 10)).toEqual(["👩‍👩‍👧", "👩‍👩‍👧", "👩‍👩‍👧"]);
    expect(split("🇨🇳🇯🇵🇰🇷", 6)).toEqual(["🇨🇳", "🇯🇵", "🇰🇷"]);
    expect(split("𠀀𠀁𠀂", 3)).toEqual(["𠀀", "𠀁", "𠀂"]);
  });

  test("a surrogate pair is never cut, even where one grapheme is longer than a part", () => {
    const zalgo = `${"e\u0301\u0302\u0303".repeat(1)}${"\u0304".repeat(20)}`;
    expect(split(zalgo, 7).join("")).toBe(zalgo);
    expect(split("𠀀𠀁", 1)).toEqual(["𠀀", "𠀁"]);
  });
});

test("a part that would be larger in markup for being cut earlier fits all the same", () => {
  const text = "one two three four five six seven eight";
  const size = (part: readonly StyledRun[]) => plainText(part).length + (plainText(part).endsWith(" ") ? 5 : 0);
  const parts = splitRuns([{ text, marks: [] }], { units: 20, most: 20, size });
  expect(parts.map(plainText).join("")).toBe(text);
  expect(Math.max(...parts.map(size))).toBeLessThanOrEqual(20);
});

test("an accent or a joiner stays with what is before it, even white space", () => {
  expect(split("one two\u0301 three \u0301four", 10).filter((part) => /^[\u0301\u200d]/.test(part))).toEqual([]);
});

test("both halves of a cut bold word stay bold", () => {
  const bold: Mark = { kind: "bold" };
  const parts = splitRuns([{ text: "one two", marks: [bold] }], { units: 4, most: 4, size: () => 1 });
  expect(parts).toEqual([[{ text: "one ", marks: [bold] }], [{ text: "two", marks: [bold] }]]);
});
