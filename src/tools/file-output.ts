import type { ToolOutput } from "../agent/tool.ts";
import { byteLength } from "../lib/text.ts";
import { decodeText, detectEncoding, showControls } from "../workspace/decode-text.ts";
import { sniffImageType } from "../workspace/media-type.ts";

/** The lines of a text to show: the first one, counted from 1, and how many. */
export interface LineRange {
  from: number;
  limit: number;
}

/**
 * A file for the model: an image, or lines of a text.
 * @param path the path or address by which images are loaded
 * @param content a text, or the bytes of a text or an image
 * @throws Error if it is neither
 */
export function fileOutput(path: string, content: string | Uint8Array, { from, limit }: LineRange): ToolOutput {
  if (typeof content === "string") return { text: excerptLines(content, from, limit) };
  const mediaType = sniffImageType(content);
  if (mediaType === undefined) return { text: excerptLines(decodeFileText(path, content), from, limit) };
  return { text: `${path} is an image (${mediaType}, ${content.length} bytes).`, images: [{ path, mediaType }] };
}

/**
 * Decodes as the prompt does: UTF-16 by its byte order mark, and control characters that providers refuse as visible
 * symbols.
 */
export function decodeFileText(path: string, bytes: Uint8Array): string {
  const encoding = detectEncoding(bytes);
  const decoded = decodeText({ bytes, offset: 0, isEnd: true }, encoding);
  if (decoded.kind === "text") return decoded.text;
  if (decoded.why === "controls") return showControls(new TextDecoder(encoding).decode(bytes));
  throw new Error(`${path} is not text in UTF-8 (${bytes.length} bytes), so it cannot be shown.`);
}

/** The most lines shown at once. */
export const MAX_LINES = 2_000;

/** The most bytes of UTF-8 shown at once. */
export const MAX_BYTES = 50 * 1024;

/**
 * The lines of a text from `offset` (counted from 1), as many as requested and fit, and how to continue.
 * @throws Error if the text ends before `offset`
 */
export function excerptLines(text: string, offset: number, limit: number): string {
  if (text === "") return "(The file is empty.)";
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  if (offset > lines.length) {
    throw new Error(`The file has ${lines.length} lines, so there is nothing at offset ${offset}.`);
  }
  const wanted = lines.slice(offset - 1, offset - 1 + Math.min(limit, MAX_LINES));
  const count = linesThatFit(wanted);
  if (count === 0) return cutLine(wanted[0] ?? "", offset, lines.length);
  const last = offset + count - 1;
  const shown = wanted.slice(0, count).join("\n");
  if (last === lines.length) return shown;
  return `${shown}\n\n[Lines ${offset} to ${last} of ${lines.length}. Read on with offset=${last + 1}.]`;
}

function linesThatFit(lines: readonly string[]): number {
  let bytes = 0;
  for (const [i, line] of lines.entries()) {
    bytes += byteLength(line) + 1;
    if (bytes > MAX_BYTES + 1) return i;
  }
  return lines.length;
}

/** The beginning of a line that is too long by itself, in whole characters. */
function cutLine(line: string, number: number, lines: number): string {
  const bytes = new TextEncoder().encode(line);
  const start = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: true });
  const next = number < lines ? ` Read on with offset=${number + 1}.` : "";
  return `${start}\n\n[The first ${MAX_BYTES} of the ${bytes.length} bytes of line ${number}.${next}]`;
}
