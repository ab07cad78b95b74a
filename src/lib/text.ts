const encoder = new TextEncoder();

/** The length of a text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** The first `max` UTF-16 units of a text, one fewer where that would split a surrogate pair. */
export function head(text: string, max: number): string {
  if (text.length <= max) return text;
  return text.slice(0, splitsPair(text, max) ? max - 1 : max);
}

/** The last `max` UTF-16 units of a text, one fewer where that would split a surrogate pair. */
export function tail(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.length - max;
  return text.slice(splitsPair(text, start) ? start + 1 : start);
}

/** Like `head`, and splits no grapheme: no accent, flag, joined emoji or CR LF. */
export function wholeHead(text: string, max: number): string {
  if (text.length <= max) return text;
  const { index } = characterAt(text, max);
  return head(text, index);
}

/** Like `tail`, and splits no grapheme. */
export function wholeTail(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.length - max;
  const { index, length } = characterAt(text, start);
  return tail(text, text.length - (index === start ? start : index + length));
}

/** Below this code unit every unit is a grapheme, CR LF apart. */
const FIRST_COMBINING = 0x300;
let segmenter: Intl.Segmenter | undefined;

/** The start and length of the grapheme that contains `at`; `at` itself if one begins there. */
function characterAt(text: string, at: number): { index: number; length: number } {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (before < FIRST_COMBINING && after < FIRST_COMBINING && before !== CARRIAGE_RETURN)
    return { index: at, length: 1 };
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const found = segmenter.segment(text).containing(at);
  return found === undefined ? { index: at, length: 0 } : { index: found.index, length: found.segment.length };
}

const CARRIAGE_RETURN = 0x0d;

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/**
 * The last offset up to `at` that splits no grapheme (surrogate pair, accent, flag, joined emoji). It is 0 only if `at`
 * is; a grapheme that begins at 0 is split if need be.
 */
export function betweenCharacters(text: string, at: number): number {
  const character = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text).containing(at);
  if (character === undefined || character.index === at) return at;
  if (character.index > 0) return character.index;
  if (!isLowSurrogate(text, at)) return at;
  return at > 1 ? at - 1 : at + 1;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
