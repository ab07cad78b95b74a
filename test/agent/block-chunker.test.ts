import { describe, expect, test } from "vitest";
import { type Block, type BlockSize, createBlockChunker } from "../../src/agent/block-chunker.ts";
import { type Fence, fenceAfter } from "../../src/agent/markdown-code.ts";
import { pick, randomFrom } from "../prompt/random.ts";

function blocksOf(text: string, size: BlockSize, pieces: Iterable<string> = text): Block[] {
  const chunker = createBlockChunker(size);
  return [...[...pieces].flatMap((piece) => chunker.push(piece)), ...chunker.end()];
}

const texts = (text: string, minChars: number, maxChars: number) =>
  blocksOf(text, { minChars, maxChars }).map((block) => block.text);

const sentence = (word: string, count: number) => `${Array(count).fill(word).join(" ")}.`;

describe("the end of a block", () => {
  test("is the first blank line past the minimum, as soon as it arrives", () => {
    const chunker = createBlockChunker({ minChars: 10, maxChars: 100 });
    expect(chunker.push("One.\n\nTwo is here.\n\nThree")).toEqual([
      { text: "One.\n\nTwo is here.", source: "One.\n\nTwo is here.\n\n" },
    ]);
    expect(chunker.end()).toEqual([{ text: "Three", source: "Three" }]);
  });

  test("is else the last end of a line, a sentence or a word that fits, in this order", () => {
    expect(texts(`${sentence("aa", 5)}\n${sentence("bb", 3)} ${sentence("cc", 9)}`, 10, 30)).toEqual([
      "aa aa aa aa aa.",
      "bb bb bb.",
      "cc cc cc cc cc cc cc cc cc.",
    ]);
    expect(texts("One two three. Four five six seven", 8, 20)).toEqual(["One two three.", "Four five six seven"]);
    expect(texts("one two three four five six", 8, 12)).toEqual(["one two", "three four", "five six"]);
  });

  test("may follow a Chinese or Japanese sentence and its quotes, without a space", () => {
    expect(texts("他说:“我们明天再来吧。”然后他就走了,再也没有回来过", 5, 16)).toEqual([
      "他说:“我们明天再来吧。”",
      "然后他就走了,再也没有回来过",
    ]);
    expect(texts("東京に行きました。「楽しかった!」と言いました。また行きたいです", 5, 18)).toEqual([
      "東京に行きました。「楽しかった!」",
      "と言いました。また行きたいです",
    ]);
  });

  test("is between two characters as a last resort, never within one", () => {
    const family = "👨‍👩‍👧‍👦";
    expect(texts(family.repeat(5), 1, 25)).toEqual([family.repeat(2), family.repeat(2), family]);
    expect(texts("🦞".repeat(10), 1, 7).every((text) => text.isWellFormed())).toBe(true);
  });

  test("is not within a link or bold text if there is another place", () => {
    expect(texts("Read this page: [the long manual](https://example.com/a) now", 5, 42)).toEqual([
      "Read this page:",
      "[the long manual](https://example.com/a)",
      "now",
    ]);
  });

  test("is not after the number of a list item", () => {
    expect(texts("Do it like this\n1. wash the long green beans", 5, 24)).toEqual([
      "Do it like this",
      "1. wash the long green",
      "beans",
    ]);
  });
});

describe("fenced code in blocks", () => {
  const code = (count: number) => Array.from({ length: count }, (_, n) => `line(${n});`).join("\n");

  test("stays whole if the text before it is long enough", () => {
    expect(texts(`Here it is, as you asked:\n\`\`\`js\n${code(5)}\n\`\`\`\nThat is all.`, 20, 80)).toEqual([
      "Here it is, as you asked:",
      `\`\`\`js\n${code(5)}\n\`\`\`\nThat is all.`,
    ]);
  });

  test("is closed and opened again with its language if it must be cut", () => {
    const blocks = texts(`\`\`\`ts title="x"\n${code(12)}\n\`\`\`\nDone.`, 30, 70);
    expect(blocks.length).toBeGreaterThan(2);
    for (const block of blocks) expect(block).toMatch(/^```ts title="x"\n[^`]+\n```(\nDone\.)?$/);
  });

  test.each([
    ["tildes", "~~~", "~~~\n```\n~~~"],
    ["four backticks", "````md", "````md\n```\n````"],
  ])("of %s is not closed by other marks", (_, opening, start) => {
    const marks = /^[`~]+/.exec(opening)![0];
    const blocks = texts(`${opening}\n\`\`\`\n${"word ".repeat(30)}\n${marks}\nend`, 4, 60);
    expect(blocks[0]).toBe(start);
    expect(blocks.at(-1)).toMatch(new RegExp(`\n${marks}\nend$`));
  });

  test("loses its indentation when it is cut off from its list", () => {
    const blocks = texts(
      `1. Run this:\n\n    \`\`\`sh\n    cd a\n      ls b\n    make c\n    make d\n    \`\`\`\n\nThen rest.`,
      20,
      51,
    );
    expect(blocks).toEqual([
      "1. Run this:\n\n    ```sh\n    cd a\n    ```",
      "```sh\n  ls b\nmake c\nmake d\n```",
      "Then rest.",
    ]);
  });

  test("stays in its quote, and ends with it", () => {
    const blocks = texts(`> \`\`\`\n${"> some code\n".repeat(6)}No more of it.`, 20, 50);
    expect(blocks[1]).toMatch(/^> ```\n> some code\n/);
    expect(blocks.at(-1)).toMatch(/No more of it\.$/);
  });

  test("leaves no empty code block behind if all of it is in the previous block", () => {
    expect(texts("```\naaaaaaaa\nbbbbbbbb\n```\n\nThe end", 10, 26)).toEqual([
      "```\naaaaaaaa\nbbbbbbbb\n```",
      "The end",
    ]);
  });
});

describe("a random text", () => {
  const WORDS = [
    "a",
    "words",
    "好",
    "日本語。",
    "「はい」",
    "x. ",
    "! ",
    ", ",
    " ",
    " ",
    "\n",
    "\n",
    "\n\n",
    "🦞",
    "👩‍👧",
    "é",
    "**b c**",
    "`d e`",
    "- ",
  ];
  const FENCES = ["```js", "```", "~~~", "````md", "  ```py"];

  const below = (count: number, random: () => number) => Math.floor(random() * count);

  function randomText(random: () => number): string {
    return Array.from({ length: below(120, random) }, () =>
      below(14, random) === 0 ? `\n${pick(FENCES, random)}\n` : pick(WORDS, random),
    ).join("");
  }

  function randomPieces(text: string, random: () => number): string[] {
    if (text === "") return [];
    const length = 1 + below(30, random);
    return [text.slice(0, length), ...randomPieces(text.slice(length), random)];
  }

  const openAtEnd = (text: string) =>
    text.split("\n").reduce<Fence | undefined>((open, line) => fenceAfter(line, open), undefined);
  const bare = (text: string) =>
    text
      .split("\n")
      .filter((line) => !/^\s*(?:`{3,}|~{3,})/.test(line))
      .join("")
      .replace(/\s/g, "");

  test("is cut without loss into small, self-contained blocks, however its deltas are split", () => {
    for (let seed = 1; seed <= 400; seed++) {
      const random = randomFrom(seed);
      const text = randomText(random);
      const maxChars = 40 + below(60, random);
      const size = { minChars: 1 + below(maxChars, random), maxChars };
      const blocks = blocksOf(text, size);
      const said = `seed ${seed}`;
      expect(blocks.map(({ source }) => source).join(""), said).toBe(text);
      expect(blocksOf(text, size, randomPieces(text, random)), said).toEqual(blocks);
      expect(bare(blocks.map((block) => `${block.text}\n`).join("")), said).toBe(bare(text));
      expect(Math.max(0, ...blocks.map((block) => block.text.length)), said).toBeLessThanOrEqual(maxChars);
      for (const block of blocks) expect(block.text.isWellFormed(), said).toBe(true);
      for (const block of blocks.slice(0, -1)) expect(openAtEnd(block.text), said).toBeUndefined();
    }
  });
});

test("unusual texts are cut in reasonable time", () => {
  const chunker = createBlockChunker({ minChars: 800, maxChars: 1200 });
  const text = `${"> ".repeat(400)}quoted\n${"\n".repeat(5000)}`;
  const blocks = [...[...text].flatMap((character) => chunker.push(character)), ...chunker.end()];
  expect(blocks.map(({ source }) => source).join("")).toBe(text);
});
