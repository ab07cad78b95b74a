import { plainLetters } from "./external-content-letters.ts";

/** A span that a model could take for structure of its prompt, in UTF-16 units, `end` excluded. */
export interface Forgery {
  start: number;
  end: number;
  replacement: string;
}

/** The letters of the two markers, without separators. */
const START_WORDS = "externaluntrustedcontent";
const END_WORDS = `end${START_WORDS}`;

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const PLAIN_LETTER_OR_DIGIT = /[a-z0-9]/;
const INVISIBLE_CHARACTER = /[\p{C}\p{M}\p{Default_Ignorable_Code_Point}]/u;
const LETTER_OF_DIGIT: Readonly<Record<string, string>> = { 0: "o", 1: "l", 3: "e", 4: "a", 5: "s", 7: "t" };

const BLANK = String.raw`[\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]`;
/** Angle brackets of all scripts, square, round and curly ones, and the escapes of plain ones in HTML, URLs and JSON. */
const OPENING = String.raw`(?:[<\[{(（［｛【〔「『＜﹤\u2329\u3008‹⟨《⟪⟬⟮❬❮❰⧼«≪⪡⋖˂ᐸ⋘⫷]|&lt;|&laquo;|&#0{0,4}60;|&#x0{0,4}3c;|%3c|\\{1,8}[ux](?:00)?3c)`;
const CLOSING = String.raw`(?:[>\]})）］｝】〕」』＞﹥\u232a\u3009›⟩》⟫⟭⟯❭❯❱⧽»≫⪢⋗˃ᐳ⋙⫸]|&gt;|&raquo;|&#0{0,4}62;|&#x0{0,4}3e;|%3e|\\{1,8}[ux](?:00)?3e)`;
const QUOTE = String.raw`(?:["'“”„‟‘’‚‛＂＇\x60]|&quot;|&apos;|&#3[49];|%22)`;
const CLOSING_RUN = `(?:[⋙⫸]|${CLOSING}(?:${BLANK}*${CLOSING})+)`;
const SHORT_REST = String.raw`(?:(?!${OPENING}|${CLOSING}|${QUOTE}|\n)[^]){0,128}`;

/** Two or more brackets; of characters that draw three, one is enough. */
const OPENING_RUN = new RegExp(`${OPENING}(?:${BLANK}*${OPENING})+|[⋘⫷]`, "giu");
const ONE_OPENING = new RegExp(OPENING, "iuy");
const REST = new RegExp(`${SHORT_REST}${CLOSING_RUN}`, "iuy");
const REST_UP_TO_QUOTE = new RegExp(`${SHORT_REST}${QUOTE}`, "iuy");
const BARE_REST = new RegExp(`(?:${BLANK}*${CLOSING})+`, "iuy");
/** The end of a quoted value: a quote before closing brackets, or the end of the line, which means no match. */
const QUOTED_END = new RegExp(String.raw`${QUOTE}(?:\\|${BLANK})*${CLOSING_RUN}|\n`, "giu");

/**
 * Control tokens of chat templates (ChatML, Llama, Harmony, DeepSeek with wide bars, Mistral, Gemma, SentencePiece, Qwen
 * and Hermes with tags for tools, Claude), and tag characters, which show nothing and some models read.
 */
const SPECIAL_TOKEN = new RegExp(
  [
    String.raw`<[|｜][^\s|｜<>]{1,64}[|｜]>|<<\/?SYS>>|<\/?s>|<[be]os>|<(?:start|end)_of_turn>`,
    String.raw`\[\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]`,
    String.raw`<\/?(?:antml:\w{1,32}|(?:tool|function)_(?:calls?|results?|responses?|use)|system[_-]reminder)(?:\s[^<>]{0,200})?>`,
    String.raw`(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{0,8})[\u{e0001}\u{e0020}-\u{e007e}]+`,
  ].join("|"),
  "gu",
);
/** Who speaks, as prompts of text completion name it: after an empty line. */
const SPEAKER = /(?<=(?:^|\n)[^\S\n]{0,8}\n[^\S\n]{0,8})(?:Human|Assistant)(?=:)/g;

/**
 * Finds, in reading order, look-alikes of the markers around external content (in any case, script, style, spacing or
 * escaping) and the control tokens of chat templates. Linear in the text's length.
 */
export function findForgeries(text: string): Forgery[] {
  const found: Forgery[] = [];
  let readUpTo = 0;
  for (const marker of markers(text)) {
    found.push(...specialTokens(text, readUpTo, marker.start), marker);
    readUpTo = marker.end;
  }
  found.push(...specialTokens(text, readUpTo, text.length));
  return found;
}

function* markers(text: string): Generator<Forgery> {
  const endOfQuoted = quotedEnds(text);
  let readUpTo = 0;
  for (const brackets of text.matchAll(OPENING_RUN)) {
    const start = brackets.index;
    if (start < readUpTo) continue;
    const words = readWords(text, start + brackets[0].length);
    if (words === undefined) continue;
    readUpTo = endOfMarker(text, words.end, endOfQuoted);
    yield { start, end: readUpTo, replacement: words.closes ? "[[END_MARKER_SANITIZED]]" : "[[MARKER_SANITIZED]]" };
  }
}

/** Reads the letters of a marker, skipping everything that is neither letter nor opening bracket. */
function readWords(text: string, from: number): { end: number; closes: boolean } | undefined {
  let letters = "";
  for (let at = from; at < text.length; ) {
    if (matchAt(ONE_OPENING, text, at) !== undefined) return undefined;
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += character.length;
    letters += visibleLetters(character);
    if (letters === START_WORDS || letters === END_WORDS) return { end: at, closes: letters === END_WORDS };
    if (!START_WORDS.startsWith(letters) && !END_WORDS.startsWith(letters)) return undefined;
  }
  return undefined;
}

function visibleLetters(character: string): string {
  if (INVISIBLE_CHARACTER.test(character)) return "";
  const letters = LETTER_OF_DIGIT[character] ?? plainLetters(character);
  return PLAIN_LETTER_OR_DIGIT.test(letters) || LETTER_OR_DIGIT.test(character) ? letters : "";
}

/** The end of a marker whose words end at `from`: after its attributes and brackets, or at `from` if it has none. */
function endOfMarker(text: string, from: number, endOfQuoted: (from: number) => number | undefined): number {
  const rest = matchAt(REST, text, from);
  if (rest !== undefined) return rest;
  const quote = matchAt(REST_UP_TO_QUOTE, text, from);
  const quoted = quote === undefined ? undefined : endOfQuoted(quote);
  return quoted ?? matchAt(BARE_REST, text, from) ?? from;
}

/** Finds the end of the quoted value that begins at an offset; with ascending offsets it reads the text once. */
function quotedEnds(text: string): (from: number) => number | undefined {
  const ends = text.matchAll(QUOTED_END);
  let next = ends.next();
  return (from) => {
    while (!next.done && next.value.index < from) next = ends.next();
    return next.done || next.value[0] === "\n" ? undefined : next.value.index + next.value[0].length;
  };
}

/** The end of a sticky pattern's match at an offset. */
function matchAt(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function specialTokens(text: string, start: number, end: number): Forgery[] {
  const between = text.slice(0, end);
  return [
    ...allFrom(SPECIAL_TOKEN, between, start, () => "[REMOVED_SPECIAL_TOKEN]"),
    ...allFrom(SPEAKER, between, start, (name) => `> ${name}`),
  ].sort((a, b) => a.start - b.start);
}

function allFrom(pattern: RegExp, text: string, from: number, replacement: (found: string) => string): Forgery[] {
  const found: Forgery[] = [];
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push({ start: match.index, end: pattern.lastIndex, replacement: replacement(match[0]) });
  }
  return found;
}
