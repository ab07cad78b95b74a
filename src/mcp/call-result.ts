import type { CallToolResult } from "@modelcontextprotocol/client";
import type { ToolOutput } from "../agent/tool.ts";
import { fromBase64 } from "../lib/base64.ts";
import { messageOf } from "../lib/errors.ts";
import { head } from "../lib/text.ts";
import type { ImageRef } from "../models/message.ts";
import { fromOutside, type OutsidePort } from "../security/from-outside.ts";
import { hostLabel, type Label } from "../security/labels.ts";
import { extensionOf } from "../workspace/media-type.ts";

/** Stores an image and gives its path. @throws an Error that says why not */
export type KeepImage = (image: { bytes: Uint8Array; mediaType: string; labels: readonly Label[] }) => Promise<string>;

/** Stores a file and gives its path. @throws an Error that says why not */
export type KeepFile = (file: { bytes: Uint8Array; extension: string; labels: readonly Label[] }) => Promise<string>;

/** Where images and files of servers are stored. Absent if the turn has no files. */
export interface KeepPorts {
  keepImage: KeepImage | undefined;
  keepFile: KeepFile | undefined;
}

/** Where a result comes from, and what becomes of what is in it. */
export interface ResultPlace extends KeepPorts {
  server: string;
  host: string;
  tool: string;
  outside: OutsidePort;
}

type Content = CallToolResult["content"][number];

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Most characters of a result that are taken at all. */
const MAX_TEXT_CHARS = 200_000;
/** Most parts of a result that are looked at, and most images and files of one that are stored. */
const MAX_PARTS = 100;
const MAX_IMAGES = 5;
const MAX_FILES = 5;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** What has been stored of one answer. */
export interface Kept {
  images: ImageRef[];
  files: number;
}

/** The result of a call for the model: its words fenced and labelled, its images stored. */
export async function resultOutput(result: CallToolResult, place: ResultPlace): Promise<ToolOutput> {
  const kept: Kept = { images: [], files: 0 };
  const { images } = kept;
  const lines: string[] = [];
  const { content: all, structuredContent } = result;
  const parts = all.slice(0, MAX_PARTS);
  for (const content of parts) lines.push(await lineOf(content, kept, place));
  if (all.length > MAX_PARTS) lines.push(`[The first ${MAX_PARTS} of ${all.length} parts.]`);
  const hasText = parts.some(({ type }) => type === "text");
  if (structuredContent !== undefined && !hasText) lines.push(JSON.stringify(structuredContent));
  const text = lines.join("\n");
  return {
    ...fencedOutput(text === "" ? "(no content)" : bounded(text), place),
    ...(images.length > 0 && { images }),
    ...(result.isError && { failed: true as const }),
  };
}

function bounded(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  return `${head(text, MAX_TEXT_CHARS)}\n[The first ${MAX_TEXT_CHARS} of ${text.length} characters.]`;
}

/** Words of a server, fenced and labelled with its host. */
export function fencedOutput(text: string, { server, host, tool, outside }: ResultPlace): ToolOutput {
  const metadata = { "MCP server": server, Tool: tool };
  return fromOutside({ text, source: "api", labels: [hostLabel(host)], metadata }, outside);
}

async function lineOf(content: Content, kept: Kept, place: ResultPlace): Promise<string> {
  switch (content.type) {
    case "text":
      return content.text;
    case "image":
      return imageLine(content.data, content.mimeType, kept.images, place);
    case "audio":
      return `[audio, ${content.mimeType}, ${content.data.length} characters of base64, not shown]`;
    case "resource_link":
      return `[resource mcp://${place.server}/${content.uri}, not read]`;
    case "resource":
      return resourceLine(content.resource, kept, place);
  }
}

/** A resource as lines of a text; what is no text is stored. */
export async function resourceLine(
  resource: Extract<Content, { type: "resource" }>["resource"],
  kept: Kept,
  place: KeepPorts & Pick<ResultPlace, "host">,
): Promise<string> {
  const { uri, mimeType = "" } = resource;
  if ("text" in resource) return `[resource ${uri}]\n${resource.text}`;
  if (IMAGE_TYPES.includes(mimeType)) return imageLine(resource.blob, mimeType, kept.images, place);
  const what = `resource ${uri}, ${mimeType || "of no known type"}`;
  if (kept.files >= MAX_FILES) return `[${what}, not stored: it is one of more than ${MAX_FILES} files]`;
  const bytes = fromBase64(resource.blob.replace(/\s+/g, ""));
  if (bytes === undefined) return `[${what}, which cannot be decoded]`;
  if (place.keepFile === undefined) return `[${what}: this conversation has no files to keep it in]`;
  try {
    const extension = `.${extensionIn(uri) ?? extensionOf(mimeType)}`;
    const path = await place.keepFile({ bytes, extension, labels: [hostLabel(place.host)] });
    kept.files += 1;
    return `[${what}, stored as ${path}]`;
  } catch (error) {
    return `[${what}, not stored: ${messageOf(error)}]`;
  }
}

/** The extension at the end of an address, if it has one. */
function extensionIn(uri: string): string | undefined {
  return /\.([a-z\d]{1,8})(?:[?#]|$)/i.exec(uri)?.[1]?.toLowerCase();
}

async function imageLine(
  data: string,
  mediaType: string,
  images: ImageRef[],
  { keepImage, host }: KeepPorts & Pick<ResultPlace, "host">,
): Promise<string> {
  if (images.length >= MAX_IMAGES) return `[image, ${mediaType}, one of more than ${MAX_IMAGES}]`;
  const bytes = fromBase64(data.replace(/\s+/g, ""));
  if (bytes === undefined || !IMAGE_TYPES.includes(mediaType)) return `[image, ${mediaType}, which cannot be shown]`;
  if (bytes.length > MAX_IMAGE_BYTES) return `[image, ${bytes.length} bytes, too large to be shown]`;
  if (keepImage === undefined) return "[image: this conversation has no files to keep it in]";
  try {
    const path = await keepImage({ bytes, mediaType, labels: [hostLabel(host)] });
    images.push({ path, mediaType });
    return `[image, ${mediaType}, stored as ${path}]`;
  } catch (error) {
    return `[image, not stored: ${messageOf(error)}]`;
  }
}
