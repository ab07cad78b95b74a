import { betweenCharacters } from "../lib/text.ts";
import { plainText, type StyledRun, sliceRuns } from "./styled-text.ts";

/** The limits of one message. */
export interface PartLimit {
  /** Most UTF-16 units of plain text. */
  units: number;
  /** Whether runs in the channel's markup are within all limits; a longer text never fits better. */
  fits(runs: readonly StyledRun[]): boolean;
}

/**
 * Splits a text into parts that fit, in order and without loss: the concatenated parts are the text.
 *
 * A part is filled at least half and then cut at the best boundary available: between blocks, lines, sentences, words.
 * White space at a boundary stays with the part before it. Only a word longer than a part is cut, between two
 * graphemes.
 */
export function splitRuns(runs: readonly StyledRun[], limit: PartLimit): StyledRun[][] {
  const text = plainText(runs);
  const parts: StyledRun[][] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + furthest(runs, start, Math.min(limit.units, text.length - start), limit);
    const cut =
      end === text.length ? end : start + cutAt(sliceRuns(runs, start, end), text.slice(start, end + LOOKAHEAD));
    parts.push(sliceRuns(runs, start, cut));
    start = cut;
  }
  return parts;
}

/** Units after a part that are read to see whether its last grapheme continues. */
const LOOKAHEAD = 64;

/** The most units from `start` that fit, at least one. */
function furthest(runs: readonly StyledRun[], start: number, most: number, limit: PartLimit): number {
  let fits = 1;
  let tooMany = most + 1;
  while (fits + 1 < tooMany) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (limit.fits(sliceRuns(runs, start, start + middle))) fits = middle;
    else tooMany = middle;
  }
  return fits;
}

const BLOCK = /\n\n+/g;
const LINE = /\n/g;
/** Ends of sentences; Chinese and Japanese ones need no space after them. */
const SENTENCE = /[.!?…]["'”’)\]]*\s+|[。！？；][”’」』）】]*\s*/g;
const WORD = /\s+|[，、：]/g;

/** The end of a part that holds at most `slice`; `ahead` is its text and a little of the following. */
function cutAt(slice: readonly StyledRun[], ahead: string): number {
  const text = plainText(slice);
  const borders = [blockBorders(slice, text), ...[LINE, SENTENCE, WORD].map((border) => ends(border, text))];
  for (const positions of borders) {
    const last = positions.at(-1);
    if (last !== undefined && last * 2 >= text.length) return last;
  }
  const latest = Math.max(0, ...borders.map((positions) => positions.at(-1) ?? 0));
  return latest > 0 ? latest : betweenCharacters(ahead, text.length);
}

function ends(border: RegExp, text: string): number[] {
  return Array.from(text.matchAll(border), (match) => match.index + match[0].length);
}

/** Blank lines outside code. */
function blockBorders(slice: readonly StyledRun[], text: string): number[] {
  const inCode = (position: number) => sliceRuns(slice, position - 1, position).some(isPreformatted);
  return ends(BLOCK, text).filter((position) => !inCode(position));
}

function isPreformatted(run: StyledRun): boolean {
  return run.marks.some((mark) => mark.kind === "preformatted");
}
