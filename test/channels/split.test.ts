import { describe, expect, test } from "vitest";
import { splitRuns } from "../../src/channels/split.ts";
import { type Mark, plainText, type StyledRun } from "../../src/channels/styled-text.ts";

const code: Mark = { kind: "preformatted" };

function split(text: string | StyledRun[], units: number): string[] {
  const runs = typeof text === "string" ? [{ text, marks: [] }] : text;
  return splitRuns(runs, { units, fits: (part) => plainText(part).length <= units }).map(plainText);
}

describe("where a text is cut", () => {
  test("nowhere, while it fits", () => {
    expect(split("as long as this", 15)).toEqual(["as long as this"]);
    expect(split("", 15)).toEqual([]);
  });

  test("between blocks rather than lines, lines rather than sentences, sentences rather than words", () => {
    expect(split("One two.\n\nThree.\nFour. Five six", 28)).toEqual(["One two.\n\nThree.\n", "Four. Five six"]);
    expect(split("One two. Three.\n\nFour\nfive. Six seven", 28)).toEqual([
      "One two. Three.\n\n",
      "Four\nfive. Six seven",
    ]);
    expect(split("One two three. Four five six", 24)).toEqual(["One two three. ", "Four five six"]);
    expect(split("one two three four", 12)).toEqual(["one two ", "three four"]);
  });

  test("not so early that a part is nearly empty, unless a word would be torn", () => {
    expect(split("Yes.\n\nA long line that goes on and on", 24)[0]).toBe("Yes.\n\nA long line that ");
    expect(split(`Yes. ${"x".repeat(20)}`, 20)).toEqual(["Yes. ", "x".repeat(20)]);
  });

  test("after a Chinese sentence, which no space follows", () => {
    expect(split("今天天气很好。我们去公园吧！你想去吗", 14)).toEqual(["今天天气很好。我们去公园吧！", "你想去吗"]);
    expect(split("他说：“我不去了。”然后就走了啊", 12)).toEqual(["他说：“我不去了。”", "然后就走了啊"]);
  });

  test("inside of code at a line, and not at its blank lines before all others", () => {
    const runs = [
      { text: "See:\n\n", marks: [] },
      { text: "a = 1\nb = 2\n\nc = 3\nd = 4", marks: [code] },
    ];
    expect(split(runs, 26)).toEqual(["See:\n\na = 1\nb = 2\n\nc = 3\n", "d = 4"]);
  });

  test("inside of a word that is longer than a part, between two characters as one reads them", () => {
    expect(split("x".repeat(25), 10)).toEqual(["x".repeat(10), "x".repeat(10), "x".repeat(5)]);
    expect(split("👩‍👩‍👧".repeat(3), 10)).toEqual(["👩‍👩‍👧", "👩‍👩‍👧", "👩‍👩‍👧"]);
    expect(split("🇨🇳🇯🇵🇰🇷", 6)).toEqual(["🇨🇳", "🇯🇵", "🇰🇷"]);
    expect(split("𠀀𠀁𠀂", 3)).toEqual(["𠀀", "𠀁", "𠀂"]);
  });

  test("never inside of a pair, even where one character is longer than a part", () => {
    const zalgo = `${"e\u0301\u0302\u0303".repeat(1)}${"\u0304".repeat(20)}`;
    expect(split(zalgo, 7).join("")).toBe(zalgo);
    expect(split("𠀀𠀁", 1)).toEqual(["𠀀", "𠀁"]);
  });
});

test("the halves of a bold word are both inside of the same bold", () => {
  const bold: Mark = { kind: "bold" };
  const parts = splitRuns([{ text: "one two", marks: [bold] }], { units: 4, fits: () => true });
  expect(parts).toEqual([[{ text: "one ", marks: [bold] }], [{ text: "two", marks: [bold] }]]);
});
