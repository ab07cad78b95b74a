import { betweenCharacters } from "../lib/text.ts";

/** A piece of a text, at the borders of lines. */
export interface Chunk {
  /** 1 is the first line of the text. */
  startLine: number;
  /** The last line, inclusive. Of a line that is longer than a chunk several chunks say the same line; each has its part. */
  endLine: number;
  /** The lines, parted by `\n` alone, without one at the end. */
  text: string;
}

/** How a text is cut up, in tokens. */
export interface Chunking {
  tokens: number;
  /** What neighbours share, in whole lines. */
  overlap: number;
}

/** Larger chunks than this, in tokens, would not fit where they are stored and embedded. */
const MAX_TOKENS = 8_000;

/**
 * A token is about four letters, or one character of Chinese, Japanese or Korean: what `estimateTokens` says of prose, give or
 * take a fifth, at a sixth of its time. The size of a text is counted in quarters of a token.
 */
const QUARTERS = 4;
const FIRST_WIDE = 0x2e80;

/** A line that is too long is cut behind one of these where its last third has one. */
const BREAK = /[\s。！？；，、.!?;,]/u;
/** Most units that are looked at to find where a character begins. */
const CHARACTER_WINDOW = 64;

/**
 * Cuts a text into chunks, in order. Lines end with `\n` or `\r\n`; the same text gives the same chunks, and one that grows
 * at its end keeps all but the last ones. Chunks of nothing but space are left out.
 */
export function* chunksOf(text: string, chunking: Chunking): Generator<Chunk> {
  const budget = Math.min(chunking.tokens, MAX_TOKENS) * QUARTERS;
  const overlap = Math.min(chunking.overlap * QUARTERS, budget / 2);
  const lines = text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
  let held: Line[] = [];
  let size = 0;
  let fresh = false;
  for (const line of linesOf(lines)) {
    if (size + line.size > budget && held.length > 0) {
      if (fresh) yield* chunkOf(lines, held);
      held = line.size > budget ? [] : lastOf(held, Math.min(overlap, budget - line.size));
      size = sizeOf(held);
      fresh = false;
    }
    if (line.size > budget) {
      yield* partsOf(lines, line, budget, overlap);
      continue;
    }
    held.push(line);
    size += line.size;
    fresh = true;
  }
  if (fresh) yield* chunkOf(lines, held);
}

interface Line {
  number: number;
  from: number;
  /** Where its `\n` is, or the text's end. */
  to: number;
  /** In quarters of a token, with its end. */
  size: number;
}

function* linesOf(text: string): Generator<Line> {
  let number = 1;
  for (let from = 0; from < text.length; number++) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    yield { number, from, to, size: quartersOf(text, from, to) + 1 };
    from = to + 1;
  }
}

function quartersOf(text: string, from: number, to: number): number {
  let quarters = 0;
  for (let at = from; at < to; at++) quarters += quartersAt(text, at);
  return quarters;
}

function quartersAt(text: string, at: number): number {
  return text.charCodeAt(at) < FIRST_WIDE ? 1 : QUARTERS;
}

function* chunkOf(text: string, lines: readonly Line[]): Generator<Chunk> {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) return;
  const piece = text.slice(first.from, last.to);
  if (piece.trim() !== "") yield { startLine: first.number, endLine: last.number, text: piece };
}

/** The last lines, as many as fit. */
function lastOf(lines: readonly Line[], room: number): Line[] {
  let first = lines.length;
  for (let left = room; first > 0; first--) {
    left -= lines[first - 1]?.size ?? 0;
    if (left < 0) break;
  }
  return lines.slice(first);
}

function sizeOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { size }) => sum + size, 0);
}

/** The parts of a line that is longer than a chunk, each of which begins with the end of the one before. */
function* partsOf(text: string, { number, from, to }: Line, budget: number, overlap: number): Generator<Chunk> {
  for (let start = from; start < to; ) {
    const end = partEnd(text, start, to, budget);
    const part = text.slice(start, end);
    if (part.trim() !== "") yield { startLine: number, endLine: number, text: part };
    if (end === to) return;
    start = overlapStart(text, start, end, overlap);
  }
}

/** Where a part ends that begins at `start`: behind a word or a sentence where there is one, and always after `start`. */
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

/** Where the part begins that follows one from `start` to `end`: at a word where there is one, and always after `start`. */
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

/** The last place up to `at` that cuts no character, by a look at what is around it: the whole line may be long. */
function wholeCharacter(text: string, at: number, start: number): number {
  const from = Math.max(start, at - CHARACTER_WINDOW);
  return from + betweenCharacters(text.slice(from, at + CHARACTER_WINDOW), at - from);
}
