import { betweenCharacters } from "../../lib/text.ts";

/** A piece of a text that starts and ends at line breaks. */
export interface Chunk {
  /** 1 is the first line of the text. */
  startLine: number;
  /** The last line, inclusive. A line that is longer than a chunk becomes several chunks with the same line numbers. */
  endLine: number;
  /** The lines, separated by `\n`, without one at the end. */
  text: string;
}

/** Sizes of chunks, in tokens. */
export interface Chunking {
  tokens: number;
  /** What neighbours share, in whole lines. */
  overlap: number;
}

/** Larger chunks, in tokens, would not fit into the database and embedding models. */
const MAX_TOKENS = 8_000;

/**
 * Sizes are counted in quarters of a token: a letter is one, a Chinese, Japanese or Korean character four. This is
 * within a fifth of `estimateTokens` for prose and takes a sixth of its time.
 */
const QUARTERS = 4;
const FIRST_WIDE = 0x2e80;

/** A line that is too long is cut after one of these if the last third of a part has one. */
const BREAK = /[\s。！？；，、.!?;,]/u;
/** UTF-16 units around a cut that are examined to find where a character begins. */
const CHARACTER_WINDOW = 64;

/**
 * Cuts a text into chunks, in order. Lines end with `\n` or `\r\n`. The same text gives the same chunks, and text added
 * at the end changes only the last ones. Chunks of white space are left out.
 */
export function* chunkText(text: string, chunking: Chunking): Generator<Chunk> {
  const budget = Math.min(chunking.tokens, MAX_TOKENS) * QUARTERS;
  const overlap = Math.min(chunking.overlap * QUARTERS, budget / 2);
  const lines = text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
  let held: TextLine[] = [];
  let size = 0;
  let fresh = false;
  for (const line of splitLines(lines)) {
    if (size + line.size > budget && held.length > 0) {
      if (fresh) yield* joinLines(lines, held);
      held = line.size > budget ? [] : lastLines(held, Math.min(overlap, budget - line.size));
      size = totalSize(held);
      fresh = false;
    }
    if (line.size > budget) {
      yield* splitLine(lines, line, budget, overlap);
      continue;
    }
    held.push(line);
    size += line.size;
    fresh = true;
  }
  if (fresh) yield* joinLines(lines, held);
}

interface TextLine {
  number: number;
  from: number;
  /** The position of its `\n`, or the end of the text. */
  to: number;
  /** In quarters of a token, with its line break. */
  size: number;
}

function* splitLines(text: string): Generator<TextLine> {
  let number = 1;
  for (let from = 0; from < text.length; number++) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    yield { number, from, to, size: countQuarters(text, from, to) + 1 };
    from = to + 1;
  }
}

function countQuarters(text: string, from: number, to: number): number {
  let quarters = 0;
  for (let at = from; at < to; at++) quarters += quartersAt(text, at);
  return quarters;
}

function quartersAt(text: string, at: number): number {
  return text.charCodeAt(at) < FIRST_WIDE ? 1 : QUARTERS;
}

function* joinLines(text: string, lines: readonly TextLine[]): Generator<Chunk> {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) return;
  const piece = text.slice(first.from, last.to);
  if (piece.trim() !== "") yield { startLine: first.number, endLine: last.number, text: piece };
}

/** As many of the last lines as fit. */
function lastLines(lines: readonly TextLine[], size: number): TextLine[] {
  let first = lines.length;
  for (let left = size; first > 0; first--) {
    left -= lines[first - 1]?.size ?? 0;
    if (left < 0) break;
  }
  return lines.slice(first);
}

function totalSize(lines: readonly TextLine[]): number {
  return lines.reduce((sum, { size }) => sum + size, 0);
}

/** Cuts a line that is longer than a chunk; each part begins with the end of the previous one. */
function* splitLine(text: string, { number, from, to }: TextLine, budget: number, overlap: number): Generator<Chunk> {
  for (let start = from; start < to; ) {
    const end = partEnd(text, start, to, budget);
    const part = text.slice(start, end);
    if (part.trim() !== "") yield { startLine: number, endLine: number, text: part };
    if (end === to) return;
    start = overlapStart(text, start, end, overlap);
  }
}

/** The end of the part that begins at `start`: after a word or a sentence if possible, and always after `start`. */
function partEnd(text: string, start: number, to: number, budget: number): number {
  let end = start;
  for (let left = budget; end < to; end++) {
    left -= quartersAt(text, end);
    if (left < 0) break;
  }
  if (end === to) return to;
  for (let at = end; at > end - (end - start) / 3; at--) {
    if (BREAK.test(text.charAt(at - 1))) return at;
  }
  return Math.max(start + 1, wholeCharacter(text, end, start));
}

/** The beginning of the part after one from `start` to `end`: at a word if possible, and always after `start`. */
function overlapStart(text: string, start: number, end: number, overlap: number): number {
  let from = end;
  for (let left = overlap; from > start + 1; from--) {
    left -= quartersAt(text, from - 1);
    if (left < 0) break;
  }
  for (let at = from; at < end; at++) {
    if (BREAK.test(text.charAt(at - 1))) return at;
  }
  const whole = wholeCharacter(text, from, start);
  return whole > start ? whole : end;
}

/**
 * The last position up to `at` between two characters. Examines only the surroundings, because the line may be long.
 */
function wholeCharacter(text: string, at: number, start: number): number {
  const from = Math.max(start, at - CHARACTER_WINDOW);
  return from + betweenCharacters(text.slice(from, at + CHARACTER_WINDOW), at - from);
}
