/** What of a file's text a model would not see as it is. */
export interface TextFaults {
  /** Control characters, each of which is shown as its picture, such as ␀. */
  controls: number;
  /** Bytes that mean nothing in the file's encoding, shown as �. */
  broken: number;
  /** Characters that nobody sees and a model reads, or that turn the order of others: they stay. */
  hidden: number;
}

/** Bytes of a file as text, or why they are none. */
export type DecodedText =
  | { kind: "text"; text: string; faults: TextFaults }
  | { kind: "binary"; why: "encoding" | "controls" };

export type TextEncodingName = "utf-8" | "utf-16le" | "utf-16be";

/** A part of a file. */
export interface FileSlice {
  bytes: Uint8Array;
  /** Where it starts in the file. */
  offset: number;
  /** Whether the file ends with it; otherwise the half of a character at its end is left out. */
  isEnd: boolean;
}

/** More of a text than this is no slip: it is no text. */
const MOST_FAULTY = 0.1;
/** The most bytes that follow the first one of a character in UTF-8. */
const MAX_CONTINUATION = 3;

/** All control characters that no text needs: line feeds, carriage returns and tabs stay. */
const CONTROLS = /[^\P{Cc}\t\n\r\u0080-\u009f]/gu;
/** Flags of regions are spelt with tag characters, and are seen. */
const HIDDEN = /\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f}|([\u{e0000}-\u{e007f}\u202d\u202e])/gu;

/** The encoding that the first bytes of a file name; UTF-8 where they name none. */
export function detectEncoding(start: Uint8Array): TextEncodingName {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return "utf-8";
}

/**
 * The text of a file, or of a part of one, without its byte order mark and without the halves of characters at the
 * part's borders. Control characters that providers refuse, such as NUL, are shown as pictures. Text in which more than
 * a tenth is amiss is none.
 */
export function decodeText(part: FileSlice, encoding: TextEncodingName): DecodedText {
  const bytes = part.bytes.subarray(part.offset === 0 ? 0 : halfAtStart(part, encoding));
  const { text: raw, broken } = decode(bytes, encoding, part.isEnd);
  if (broken > raw.length * MOST_FAULTY) return { kind: "binary", why: "encoding" };
  const controls = count(raw, CONTROLS);
  if (controls > raw.length * MOST_FAULTY) return { kind: "binary", why: "controls" };
  const text = controls === 0 ? raw : showControls(raw);
  return { kind: "text", text, faults: { controls, broken, hidden: countHidden(text) } };
}

/** A text in which control characters that providers refuse are pictures, and halves of surrogate pairs are �. */
export function showControls(text: string): string {
  return text.replace(CONTROLS, controlPicture).toWellFormed();
}

function controlPicture(control: string): string {
  const code = control.charCodeAt(0);
  return code === 0x7f ? "\u2421" : String.fromCharCode(0x2400 + code);
}

function decode(bytes: Uint8Array, encoding: TextEncodingName, isEnd: boolean): { text: string; broken: number } {
  try {
    const strict = new TextDecoder(encoding, { fatal: true, ignoreBOM: false });
    return { text: strict.decode(bytes, { stream: !isEnd }), broken: 0 };
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    const lenient = new TextDecoder(encoding, { fatal: false, ignoreBOM: false });
    const text = lenient.decode(bytes, { stream: !isEnd });
    return { text, broken: count(text, /\ufffd/g) };
  }
}

/** How many bytes at the start of a part belong to a character before it. */
function halfAtStart({ bytes, offset }: FileSlice, encoding: TextEncodingName): number {
  if (encoding === "utf-8") {
    let from = 0;
    while (from < MAX_CONTINUATION && isContinuation(bytes[from])) from++;
    return from;
  }
  const from = offset % 2;
  const high = bytes[encoding === "utf-16le" ? from + 1 : from] ?? 0;
  return high >= 0xdc && high <= 0xdf ? from + 2 : from;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

function countHidden(text: string): number {
  let hidden = 0;
  for (const [, unseen] of text.matchAll(HIDDEN)) if (unseen !== undefined) hidden++;
  return hidden;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
