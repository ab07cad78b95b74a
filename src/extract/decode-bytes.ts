import { guessCharset } from "./guess-charset.ts";

/** A text, and what its bytes were in. */
export interface Decoded {
  text: string;
  charset: string;
}

/** Where a page may say its charset. */
const HEAD_BYTES = 8_192;

/** Decodes by byte order mark, header, the text's own declaration, and a guess, in this order. */
export function decodeBytes(bytes: Uint8Array, declared: string | undefined): Decoded {
  const mark = byteOrderMark(bytes);
  if (mark !== undefined) return decoded(bytes, mark);
  const named = knownCharset(declared) ?? knownCharset(ownCharset(bytes));
  if (named !== undefined && !isWrong(bytes, named)) return decoded(bytes, named);
  return decoded(bytes, isWrong(bytes, "utf-8") ? guessCharset(bytes) : "utf-8");
}

function decoded(bytes: Uint8Array, charset: string): Decoded {
  return { text: new TextDecoder(charset).decode(bytes), charset };
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return undefined;
}

/** What a page or an XML text says of itself. UTF-16 that can be read as ASCII is none. */
function ownCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("windows-1252").decode(bytes.subarray(0, HEAD_BYTES));
  const [, xml] = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)/i.exec(head) ?? [];
  const [, meta] = /<meta[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head) ?? [];
  const label = meta ?? xml;
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function knownCharset(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch {
    return undefined;
  }
}

/** Whether so many bytes are invalid that the charset cannot be the right one. */
function isWrong(bytes: Uint8Array, charset: string): boolean {
  const text = new TextDecoder(charset).decode(bytes);
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  return broken > 3 && broken > text.length / 500;
}
