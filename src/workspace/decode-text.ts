/** Characters of a text that a model does not see as they are. */
export interface TextFaults {
  /** Control characters, each replaced by its picture, such as ␀. */
  controls: number;
  /** Invalid bytes, shown as �. */
  broken: number;
  /** Characters that are invisible to people or reorder text; they are kept. */
  hidden: number;
}

/** A decoded text, or why the bytes are not text. */
export type DecodedText =
  | { kind: "text"; text: string; faults: TextFaults }
  | { kind: "binary"; why: "encoding" | "controls" };

export type TextEncodingName = "utf-8" | "utf-16le" | "utf-16be";

/** A part of a file's bytes. */
export interface FileSlice {
  bytes: Uint8Array;
  /** Its offset in the file. */
  offset: number;
  /** Whether it reaches the file's end; otherwise a partial character at its end is dropped. */
  isEnd: boolean;
}

/** With a larger share of faults the bytes count as binary. */
const MOST_FAULTY = 0.1;
/** Most continuation bytes of a UTF-8 character. */
const MAX_CONTINUATION = 3;

/** Control characters except line feeds, carriage returns and tabs. */
const CONTROLS = /[^\P{Cc}\t\n\r\u0080-\u009f]/gu;
/** Tag characters and bidirectional overrides; tag characters in flags of regions are visible and do not count. */
const HIDDEN = /\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f}|([\u{e0000}-\u{e007f}\u202d\u202e])/gu;

/** The encoding by the byte order mark; UTF-8 without one. */
export function detectEncoding(start: Uint8Array): TextEncodingName {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return "utf-8";
}

/**
 * Decodes a file or a part of one, without byte order mark and without partial characters at the part's borders.
 * Control characters that providers refuse, such as NUL, become pictures. With more than a tenth of faults it is
 * binary.
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

/** Replaces control characters that providers refuse by pictures, and lone surrogates by �. */
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

/** The bytes at a part's start that belong to a character before it. */
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
