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

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/**
 * The last place up to `at` that does not cut a character as a reader sees it: no surrogate pair, accent, flag or joined
 * emoji. It is 0 only where `at` is; a character that begins there is cut after all.
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
