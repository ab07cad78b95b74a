/**
 * A part of a text that can be searched for. A `word` may be a compound (`foo_bar`, `don't`, `1.2.3`); a `run` is written
 * without spaces, in Chinese, Japanese or Korean, and each of its characters counts; an `emoji` has no skin and no joints.
 */
export interface Piece {
  kind: "word" | "run" | "emoji";
  /** As it is written, but in Unicode's form NFKC. */
  text: string;
}

/** What a text consists of, in its order. Case and accents are left. */
export function* piecesOf(text: string): Generator<Piece> {
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

/** Scripts without spaces between words. The mark of long vowels belongs to two of them, and so to none. */
const RUN = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}ー`;
const IN_WORD = String.raw`[[\p{L}\p{N}\p{M}]--[${RUN}]]`;
/** Words stand between marks, but for single ones that join: `state-of-the-art`, `O'Brien`, `snake_case`, `notes.md`. */
const WORD = String.raw`(?!\p{M})${IN_WORD}+(?:['’_.\-‐]${IN_WORD}+)*`;
const EMOJI = String.raw`\p{RI}{2}|\p{Extended_Pictographic}`;
const PIECE = new RegExp(`(?<run>[${RUN}]+)|(?<word>${WORD})|${EMOJI}`, "gv");

const ASCII = /^[\0-\x7f]*$/;
/** What `WORD` is where there are no other letters: most texts, in a third of the time. */
const ASCII_WORD = /[A-Za-z0-9]+(?:['_.-][A-Za-z0-9]+)*/g;
/** Signs that NFKC would make letters of the word before. */
const TRADE_MARKS = /[™℠]/g;
const THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g;

function withoutThousands(text: string): string {
  return text.includes(",") ? text.replace(THOUSANDS, "") : text;
}
