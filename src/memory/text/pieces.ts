/**
 * A searchable part of a text. A `word` may be a compound (`foo_bar`, `don't`, `1.2.3`); a `run` is Chinese, Japanese
 * or Korean text without spaces, each character of which is a term; an `emoji` has no skin tone and no joiners.
 */
export interface Piece {
  kind: "word" | "run" | "emoji";
  /** As written, in Unicode's form NFKC. */
  text: string;
}

/** Splits a text into pieces, in order. Case and accents are kept. */
export function* splitPieces(text: string): Generator<Piece> {
  if (ASCII.test(text)) {
    for (const [word] of withoutThousands(text).matchAll(ASCII_WORD)) yield { kind: "word", text: word };
    return;
  }
  const composed = withoutThousands(text.replace(TRADE_MARKS, " ").normalize("NFKC"));
  for (const { 0: piece, groups } of composed.matchAll(PIECE)) {
    if (groups?.run !== undefined) yield { kind: "run", text: piece };
    else yield { kind: groups?.word === undefined ? "emoji" : "word", text: piece };
  }
}

/** Scripts without spaces between words. The long vowel mark is in two of them, so Unicode assigns it to none. */
const RUN = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}ー`;
const IN_WORD = String.raw`[[\p{L}\p{N}\p{M}]--[${RUN}]]`;
/**
 * Punctuation separates words, except a single joining mark: `state-of-the-art`, `O'Brien`, `snake_case`, `notes.md`.
 */
const WORD = String.raw`(?!\p{M})${IN_WORD}+(?:['’_.\-‐]${IN_WORD}+)*`;
const EMOJI = String.raw`\p{RI}{2}|\p{Extended_Pictographic}`;
const PIECE = new RegExp(`(?<run>[${RUN}]+)|(?<word>${WORD})|${EMOJI}`, "gv");

const ASCII = /^[\0-\x7f]*$/;
/** `WORD` for ASCII, which most texts are, in a third of the time. */
const ASCII_WORD = /[A-Za-z0-9]+(?:['_.-][A-Za-z0-9]+)*/g;
/** Signs that NFKC would turn into letters of the previous word. */
const TRADE_MARKS = /[™℠]/g;
const THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g;

function withoutThousands(text: string): string {
  return text.includes(",") ? text.replace(THOUSANDS, "") : text;
}
