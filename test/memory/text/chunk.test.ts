import { expect, test } from "vitest";
import { estimateTokens } from "../../../src/lib/tokens.ts";
import { type Chunk, type Chunking, chunkText } from "../../../src/memory/text/chunk.ts";

const USUAL: Chunking = { tokens: 400, overlap: 80 };
const SENTENCE = "The vet said that Biscuit is well, and that she comes again in autumn.";

function cut(text: string, chunking = USUAL): Chunk[] {
  return [...chunkText(text, chunking)];
}

/** The lines that a chunk names. */
function linesOf(text: string, { startLine, endLine }: Chunk): string {
  return text
    .split(/\r?\n/)
    .slice(startLine - 1, endLine)
    .join("\n");
}

function notes(count: number): string {
  return Array.from({ length: count }, (_, i) => `${i + 1}. ${SENTENCE}`).join("\n");
}

test("a chunk has its named lines, about 400 tokens, and overlaps the next by up to 80", () => {
  const text = notes(300);
  const chunks = cut(text);
  expect(chunks[0]?.startLine).toBe(1);
  expect(chunks.at(-1)?.endLine).toBe(300);
  for (const [at, chunk] of chunks.entries()) {
    expect(chunk.text).toBe(linesOf(text, chunk));
    const next = chunks[at + 1];
    if (next === undefined) continue;
    expect(chunk.text.length).toBeGreaterThan(1450);
    expect(chunk.text.length).toBeLessThanOrEqual(1600);
    expect(estimateTokens(chunk.text)).toBeLessThan(500);
    const shared = chunk.endLine - next.startLine + 1;
    expect(shared).toBe(Math.floor(320 / (`100. ${SENTENCE}`.length + 1)));
  }
});

test("chunks of Chinese have about as many tokens as chunks of English", () => {
  const text = Array.from({ length: 100 }, () => "昨天我们去了北京的故宫博物院，看到了很多珍贵的文物。").join("\n");
  const [first] = cut(text);
  expect(first?.text.length).toBeGreaterThan(370);
  expect(first?.text.length).toBeLessThanOrEqual(416);
});

test.each([
  ["an empty file", "", []],
  ["nothing but space", "\n \r\n\t\n\n", []],
  ["no newline at the end", "one\ntwo", [{ startLine: 1, endLine: 2, text: "one\ntwo" }]],
  ["a newline at the end", "one\ntwo\n", [{ startLine: 1, endLine: 2, text: "one\ntwo" }]],
  ["line ends of Windows", "one\r\ntwo\r\n", [{ startLine: 1, endLine: 2, text: "one\ntwo" }]],
  ["both kinds of line ends", "one\r\ntwo\nthree", [{ startLine: 1, endLine: 3, text: "one\ntwo\nthree" }]],
  ["front matter", "---\ntags: [cat]\n---\nhi", [{ startLine: 1, endLine: 4, text: "---\ntags: [cat]\n---\nhi" }]],
])("the chunks of %s have its lines in order", (_, text, expected) => {
  expect(cut(text)).toEqual(expected);
});

test("blank lines give no chunk and count as lines", () => {
  const chunks = cut(`first\n${"\n".repeat(5000)}last`);
  expect(chunks.map(({ text }) => text.trim())).toEqual(["first", "last"]);
  expect(chunks.at(-1)?.endLine).toBe(5002);
});

test("a line that is longer than a chunk is cut after words, and all parts have its number", () => {
  const long = Array.from({ length: 1500 }, (_, i) => `word${i}`).join(" ");
  const text = `before\n${long}\nafter`;
  const chunks = cut(text);
  expect(chunks.at(0)).toEqual({ startLine: 1, endLine: 1, text: "before" });
  expect(chunks.at(-1)).toEqual({ startLine: 3, endLine: 3, text: "after" });
  const parts = chunks.slice(1, -1);
  expect(parts.every(({ startLine, endLine }) => startLine === 2 && endLine === 2)).toBe(true);
  const words = new Set(parts.flatMap((part) => part.text.trim().split(" ")));
  expect([...words].sort()).toEqual(long.split(" ").sort());
});

test("a long line without words is cut between characters", () => {
  const family = "👩‍👩‍👧‍👦";
  for (const letter of [family, "e\u0301", "\u{20bb7}"]) {
    const parts = cut(letter.repeat(3000));
    expect(parts.length).toBeGreaterThan(1);
    for (const { text } of parts) expect(text.replaceAll(letter, "")).toBe("");
  }
});

test("an endless character is cut", () => {
  const parts = cut(`a${"\u0301".repeat(20_000)}`);
  expect(parts.length).toBeGreaterThan(10);
  expect(parts.every(({ text }) => text.length <= 1600)).toBe(true);
});

test("text added at the end changes only the last chunk", () => {
  const text = notes(200);
  const before = cut(text);
  expect(cut(`${text}\nOne more line.`).slice(0, before.length - 1)).toEqual(before.slice(0, -1));
});

test("absurd chunk sizes are bounded", () => {
  const text = notes(3000);
  expect(cut(text, { tokens: 50, overlap: 1_000_000 }).length).toBeLessThan(6100);
  expect(Math.max(...cut(text, { tokens: 1e9, overlap: 0 }).map((chunk) => chunk.text.length))).toBeLessThan(32_001);
});

test.each([
  ["one line", "lorem ipsum ".repeat(870_000)],
  ["one word", "x".repeat(10_400_000)],
  ["Chinese without an end", "猫".repeat(3_400_000)],
  ["blank lines", "\n".repeat(10_400_000)],
  ["lines of a letter", "a\n".repeat(5_200_000)],
  ["usual lines", `${SENTENCE}\n`.repeat(145_000)],
])("10 MiB of %s take linear time", (_, text) => {
  let last: Chunk | undefined;
  let size = 0;
  for (const chunk of chunkText(text, USUAL)) {
    last = chunk;
    size += chunk.text.length;
  }
  expect(size).toBeLessThanOrEqual(text.length * 1.4);
  if (last !== undefined) expect(text.trimEnd().endsWith(last.text.trimEnd())).toBe(true);
});
