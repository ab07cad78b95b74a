import type { IFileSystem } from "just-bash/browser";

type Content = Parameters<IFileSystem["writeFile"]>[1];
type Options = Parameters<IFileSystem["writeFile"]>[2] | Parameters<IFileSystem["readFile"]>[1];

const CHUNK = 0x8000;
const encoder = new TextEncoder();

/** The bytes of a file that a command writes: a copy where it hands over bytes. */
export function contentBytes(content: Content, options: Options): Uint8Array {
  if (typeof content !== "string") return content.slice();
  switch (optionsEncoding(options)) {
    case "base64":
      return fromByteString(atob(content));
    case "hex":
      return Uint8Array.from(content.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    case "binary":
    case "latin1":
      return fromByteString(content);
    default:
      return encoder.encode(content);
  }
}

/** Decodes bytes in the encoding that a command asks for; UTF-8 by default. */
export function decodeBytes(bytes: Uint8Array, options: Options): string {
  switch (optionsEncoding(options)) {
    case "base64":
      return btoa(byteString(bytes));
    case "hex":
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    case "binary":
    case "latin1":
      return byteString(bytes);
    default:
      // A byte order mark is kept: it is part of the file.
      return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
  }
}

/** Bytes as a string with one character per byte, the form in which just-bash pipes them. */
export function byteString(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(from, from + CHUNK));
  }
  return text;
}

/** The bytes of a byte string; a string with characters above 0xff is encoded as UTF-8 instead. */
function fromByteString(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0xff) return encoder.encode(text);
    bytes[at] = code;
  }
  return bytes;
}

function optionsEncoding(options: Options): string | undefined {
  return typeof options === "string" ? options : (options?.encoding ?? undefined);
}
