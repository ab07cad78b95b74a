import { head, wholeHead, wholeTail } from "../lib/text.ts";

const HEAD_SHARE = 0.7;
const TAIL_SHARE = 0.2;

/** The start and end of a text; both are the whole text if it is short enough. */
export interface Excerpt {
  head: string;
  tail: string;
  /** Length of the whole text in UTF-16 units. */
  rawChars: number;
  /** False if the text was not read whole and `rawChars` is estimated from its bytes. */
  exact: boolean;
}

/** An excerpt of a text for a limit of `max` UTF-16 units. */
export function makeExcerpt(text: string, max: number): Excerpt {
  const whole = { head: text, tail: text, rawChars: text.length, exact: true };
  const shares = excerptShares(max);
  return text.length <= max
    ? whole
    : { ...whole, head: wholeHead(text, shares.head), tail: wholeTail(text, shares.tail) };
}

/** The kept shares of start and end within `max` UTF-16 units: 70 % and 20 %. */
export function excerptShares(max: number): { head: number; tail: number } {
  return { head: Math.floor(max * HEAD_SHARE), tail: Math.floor(max * TAIL_SHARE) };
}

/**
 * The text in at most `max` UTF-16 units: whole, or start and end around a marker that says how much is missing and
 * where to read it. Splits no grapheme. `max` must not exceed the excerpt's own limit.
 */
export function truncate(excerpt: Excerpt, max: number, path?: string): { content: string; truncated: boolean } {
  const { rawChars, exact } = excerpt;
  if (rawChars <= max) return { content: excerpt.head, truncated: false };
  const free = Math.max(0, max - omissionMarker(rawChars, rawChars, exact, path).length);
  const shares = excerptShares(Math.min(max, free / (HEAD_SHARE + TAIL_SHARE)));
  const start = wholeHead(excerpt.head, shares.head);
  const end = wholeTail(excerpt.tail, shares.tail);
  const marker = omissionMarker(rawChars - start.length - end.length, rawChars, exact, path);
  return { content: head(start + marker + end, max), truncated: true };
}

function omissionMarker(missing: number, rawChars: number, exact: boolean, path: string | undefined): string {
  const about = exact ? "" : "about ";
  const where = path === undefined ? "" : `: read ${path} to see them`;
  return `\n\n[… ${about}${missing} of ${rawChars} characters are left out here${where} …]\n\n`;
}
