/** Character classes of a tokenizer; numbers for speed, because whole contexts pass through here. */
const [LOWER, UPPER, DIGIT, SPACE, NEWLINE, MARK, LETTER] = [0, 1, 2, 3, 4, 5, 6] as const;

const WORD = 0.93;
/** Per letter after the seventh of a word. */
const LATE_LETTER = 0.4;
/** Extra cost per capital after the second of a word. */
const LATE_CAPITAL = 0.12;
/** Per three digits. */
const NUMBER = 1.05;
/** Per three punctuation marks. */
const MARKS = 1.1;
/** A mark right before a word, which often joins its token. */
const LEADING_MARK = 0.45;
const NEWLINES = 0.75;
const INDENT = 1.1;
/** Per character of base64 and similar data. */
const ENCODED = 0.67;

/** Tokens per letter outside ASCII, by UTF-16 range of its script. Latin ones add to the cost of their word. */
const SCRIPTS: readonly { from: number; to: number; tokens: number; latin?: true }[] = [
  { from: 0x3400, to: 0x9fff, tokens: 0.83 }, // Han
  { from: 0x3040, to: 0x30ff, tokens: 0.68 }, // kana
  { from: 0xac00, to: 0xd7af, tokens: 0.64 }, // Hangul
  { from: 0xc0, to: 0xff, tokens: 0.25, latin: true }, // western Europe
  { from: 0x1a0, to: 0x1b0, tokens: 0.25, latin: true }, // Vietnamese
  { from: 0x100, to: 0x24f, tokens: 1, latin: true }, // eastern Europe, Turkish
  { from: 0x1e00, to: 0x1eff, tokens: 0.25, latin: true }, // Vietnamese
  { from: 0x370, to: 0x3ff, tokens: 0.43 }, // Greek
  { from: 0x410, to: 0x44f, tokens: 0.24 }, // Cyrillic that Russian uses
  { from: 0x400, to: 0x52f, tokens: 1.6 }, // the rest of Cyrillic
  { from: 0x590, to: 0x5ff, tokens: 0.4 }, // Hebrew
  { from: 0x600, to: 0x77f, tokens: 0.35 }, // Arabic
  { from: 0x900, to: 0xdff, tokens: 0.34 }, // the scripts of India
  { from: 0xe00, to: 0xeff, tokens: 0.46 }, // Thai, Lao
  { from: 0xd800, to: 0xdbff, tokens: 1.8 }, // the first half of an emoji or of a rare character
  { from: 0xdc00, to: 0xdfff, tokens: 0 }, // and the second
  { from: 0xfe00, to: 0xfe0f, tokens: 0 }, // how the character before looks
];
const OTHER = 1;

const LONG_RUN = /[A-Za-z0-9]{20,}/g;

/**
 * Estimates the tokens of a text without a vocabulary: within 20 % of OpenAI's `o200k_base`, to which the weights are
 * fitted, for prose in the larger languages, Chinese, Japanese, Korean, code and data.
 *
 * Tokenizers first cut a text into words, numbers, runs of marks and of space. The start of such a piece costs about
 * one token, and its length adds to that; in rare scripts and those without spaces each letter counts.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  const words = text.replace(LONG_RUN, (run) => {
    if (!isEncoded(run)) return run;
    tokens += run.length * ENCODED;
    return "";
  });
  let before: number = NEWLINE;
  /** Length of the current run of letters, digits, marks or spaces. */
  let length = 0;
  for (let at = 0; at < words.length; at++) {
    const code = words.charCodeAt(at);
    let kind = characterKind(code);
    if (kind === LETTER) {
      const script = SCRIPTS.find(({ from, to }) => code >= from && code <= to);
      tokens += script?.tokens ?? OTHER;
      if (script?.latin) kind = LOWER;
    }
    // An upper-case letter after a lower-case one begins a word.
    length = before === kind || (before === UPPER && kind === LOWER) ? length + 1 : 1;
    switch (kind) {
      case LOWER:
      case UPPER:
        if (length === 1) tokens += WORD;
        else if (length > 7) tokens += LATE_LETTER;
        if (kind === UPPER && length > 2) tokens += LATE_CAPITAL;
        break;
      case DIGIT:
        if (length % 3 === 1) tokens += NUMBER;
        break;
      case MARK:
        if (length === 1 && characterKind(words.charCodeAt(at + 1)) <= UPPER) tokens += LEADING_MARK;
        else if (length % 3 === 1) tokens += MARKS;
        break;
      case SPACE:
        if (length === 2) tokens += INDENT;
        break;
      case NEWLINE:
        if (length === 1 && before !== MARK) tokens += NEWLINES;
        break;
    }
    before = kind;
  }
  return Math.ceil(tokens);
}

function characterKind(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code === 32 || code === 9) return SPACE;
  if (code >= 65 && code <= 90) return UPPER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 10 || code === 13) return NEWLINE;
  return code < 0xc0 || isWideMark(code) ? MARK : LETTER;
}

/** Dashes, quotation marks, East Asian punctuation and fullwidth ASCII. */
function isWideMark(code: number): boolean {
  if (code < 0x2000) return false;
  return code <= 0x206f || (code >= 0x3000 && code <= 0x303f) || (code >= 0xff00 && code <= 0xff5a);
}

/** Whether a run of letters and digits is encoded data. */
function isEncoded(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9]/.test(run);
}
