import type { ToolOutput } from "../agent/tool.ts";
import { decodeText, detectEncoding, showControls } from "../workspace/decode-text.ts";
import { sniffImageType } from "../workspace/media-type.ts";
import { excerptLines } from "./line-excerpt.ts";

/** Which lines of a text are shown: from one on, counted from 1, and how many. */
export interface Lines {
  from: number;
  limit: number;
}

/**
 * A file as a model is shown it: an image as such, of a text some lines.
 * @param path the path or address by which images are loaded
 * @param content a text, or the bytes of whatever it is
 * @throws Error where it is neither
 */
export function fileOutput(path: string, content: string | Uint8Array, { from, limit }: Lines): ToolOutput {
  if (typeof content === "string") return { text: excerptLines(content, from, limit) };
  const mediaType = sniffImageType(content);
  if (mediaType === undefined) return { text: excerptLines(textOf(path, content), from, limit) };
  return { text: `${path} is an image (${mediaType}, ${content.length} bytes).`, images: [{ path, mediaType }] };
}

/** As the prompt shows files: UTF-16 where its mark says so, and control characters that providers refuse as pictures. */
export function textOf(path: string, bytes: Uint8Array): string {
  const encoding = detectEncoding(bytes);
  const decoded = decodeText({ bytes, offset: 0, isEnd: true }, encoding);
  if (decoded.kind === "text") return decoded.text;
  if (decoded.why === "controls") return showControls(new TextDecoder(encoding).decode(bytes));
  throw new Error(`${path} is not text in UTF-8 (${bytes.length} bytes), so it cannot be shown.`);
}
