import { sniffImageType } from "../workspace/media-type.ts";

/** What bytes are, as far as reading them depends on it. */
export type ContentKind =
  | { kind: "html" | "feed" | "text" | "pdf" }
  | { kind: "image"; mediaType: string }
  | { kind: "document"; mediaType: string }
  | { kind: "other"; mediaType: string };

/** The formats of office programs, by media type and by the ending of an address. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xlsm: "application/vnd.ms-excel.sheet.macroenabled.12",
  xlsb: "application/vnd.ms-excel.sheet.binary.macroenabled.12",
  xls: "application/vnd.ms-excel",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  numbers: "application/vnd.apple.numbers",
};

const TEXT =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|jsonl|x-ndjson|xml|yaml|toml|x-yaml|javascript|ecmascript|sql|rtf|x-sh|graphql|csv)$)/;
const FEED = /^application\/(?:rss|atom|rdf)\+xml$/;
/** How many bytes tell what something is. */
const START_BYTES = 1_024;

/**
 * What bytes are: by what they begin with where that is certain, else by the media type, else by the look of them.
 * @param contentType the header; undefined if there is none
 * @param address its ending names the format of a document that is sent as a mere archive
 */
export function contentKind(bytes: Uint8Array, contentType: string | undefined, address: string): ContentKind {
  const mediaType = /^\s*([\w.+-]{1,80}\/[\w.+-]{1,80})\s*(?:;|$)/.exec(contentType ?? "")?.[1]?.toLowerCase();
  const start = new TextDecoder("windows-1252").decode(bytes.subarray(0, START_BYTES)).trimStart();
  const image = sniffImageType(bytes);
  if (image !== undefined) return { kind: "image", mediaType: image };
  if (start.startsWith("%PDF-")) return { kind: "pdf" };
  const document = documentType(mediaType, start, address);
  if (document !== undefined) return { kind: "document", mediaType: document };
  if (mediaType === "text/html" || mediaType === "application/xhtml+xml") return { kind: "html" };
  if (FEED.test(mediaType ?? "")) return { kind: "feed" };
  if (mediaType === undefined || isUncertain(mediaType)) {
    if (/^(?:<!doctype html|<html[\s>])/i.test(start)) return { kind: "html" };
    if (/^<(?:\?xml|rss[\s>]|feed[\s>]|rdf:rdf[\s>])/i.test(start)) return { kind: "feed" };
    if (!start.includes("\0")) return { kind: "text" };
  }
  if (TEXT.test(mediaType ?? "")) return { kind: "text" };
  return { kind: "other", mediaType: mediaType ?? "application/octet-stream" };
}

/** Types that servers send for what they do not know, and XML, which may be a feed. */
function isUncertain(mediaType: string): boolean {
  return /^(?:application\/(?:octet-stream|xml)|text\/(?:xml|plain)|binary\/octet-stream)$/.test(mediaType);
}

function documentType(mediaType: string | undefined, start: string, address: string): string | undefined {
  if (mediaType !== undefined && Object.values(DOCUMENTS).includes(mediaType)) return mediaType;
  const [, ending = ""] = /\.(\w+)$/.exec(URL.parse(address)?.pathname.toLowerCase() ?? "") ?? [];
  const isArchive = start.startsWith("PK\u0003\u0004") || start.startsWith("\u00d0\u00cf\u0011\u00e0");
  return isArchive && Object.hasOwn(DOCUMENTS, ending) ? DOCUMENTS[ending] : undefined;
}

/** The charset of a `Content-Type`. */
export function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType ?? "")?.[1];
}
