import { betweenCharacters } from "../lib/text.ts";
import { RunIndex, type StyledRun } from "./styled-text.ts";

/** The limits of one message. */
export interface PartLimit {
  /** Most UTF-16 units of plain text. */
  units: number;
  /** Most of a message, in the unit of `size`. */
  most: number;
  /** The size of runs in the channel's markup, infinite if they are beyond another limit; hardly ever less for more. */
  size(runs: readonly StyledRun[]): number;
}

/**
 * Splits a text into parts that fit, in order and without loss: the concatenated parts are the text.
 *
 * A part is filled at least half and then cut at the best boundary available: between blocks, lines, sentences, words.
 * White space at a boundary stays with the part before it. Only a word longer than a part is cut, between two
 * graphemes.
 */
export function splitRuns(runs: readonly StyledRun[], limit: PartLimit): StyledRun[][] {
  const index = new RunIndex(runs);
  const parts: StyledRun[][] = [];
  for (let start = 0; start < index.text.length; ) {
    const end = partEnd(index, start, limit);
    parts.push(index.slice(start, end));
    start = end;
  }
  return parts;
}

/** The end of the part that begins at `start`. */
function partEnd(index: RunIndex, start: number, limit: PartLimit): number {
  for (let most = Math.min(limit.units, index.text.length - start); ; ) {
    const end = start + furthest(index, start, most, limit);
    if (end === index.text.length) return end;
    const cut = cutAt(index, start, end);
    // A shorter part may be longer in markup by the signs that close what was closed behind the cut.
    if (cut >= end || cut - start <= 1 || limit.size(index.slice(start, cut)) <= limit.most) return cut;
    most = cut - start - 1;
  }
}

/** A part that is as full as this need not be fuller. */
const FULL = 0.98;

/** About the most units from `start` that fit, at least one. Each guess takes the size of the one before it as typical. */
function furthest(index: RunIndex, start: number, most: number, limit: PartLimit): number {
  let fits = 1;
  let tooMany = most + 1;
  for (let units = most; fits + 1 < tooMany; ) {
    const size = limit.size(index.slice(start, start + units));
    if (size <= limit.most) fits = units;
    else tooMany = units;
    if (size <= limit.most && size >= FULL * limit.most) break;
    const typical = Math.floor(((units * limit.most) / size) * ((1 + FULL) / 2));
    units = typical > fits && typical < tooMany ? typical : Math.floor((fits + tooMany) / 2);
  }
  return fits;
}

const BLOCK = /\n\n+/g;
const LINE = /\n/g;
/** Ends of sentences; Chinese and Japanese ones need no space after them. */
const SENTENCE = /[.!?…]["'”’)\]]*\s+|[。！？；][”’」』）】]*\s*/g;
const WORD = /\s+|[，、：]/g;

/** Units after a part that are read to see whether its last grapheme continues. */
const LOOKAHEAD = 64;

/** What belongs to the character before it: accents, variation selectors, joiners. */
const CONTINUES = /^[\p{Mark}\u200d]/u;

/** The best cut in a part that may reach from `start` to `end`. */
function cutAt(index: RunIndex, start: number, end: number): number {
  const text = index.text.slice(start, end);
  const isBorder = (at: number) => !CONTINUES.test(index.text.slice(start + at, start + at + 2));
  const borders = [blockBorders(index, start, text), ...[LINE, SENTENCE, WORD].map((border) => ends(border, text))];
  const lasts = borders.map((positions) => positions.findLast(isBorder) ?? 0);
  const best = lasts.find((last) => last * 2 >= text.length) ?? Math.max(...lasts);
  if (best > 0) return start + best;
  return start + betweenCharacters(index.text.slice(start, end + LOOKAHEAD), text.length);
}

function ends(border: RegExp, text: string): number[] {
  return Array.from(text.matchAll(border), (match) => match.index + match[0].length);
}

/** Blank lines outside code. */
function blockBorders(index: RunIndex, start: number, text: string): number[] {
  return ends(BLOCK, text).filter((position) => !isCode(index.at(start + position - 1)));
}

function isCode(run: StyledRun | undefined): boolean {
  return run?.marks.some((mark) => mark.kind === "preformatted") ?? false;
}
