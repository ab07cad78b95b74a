import { TRANSCRIPTS } from "./memory-paths.ts";

const PATH = /^sessions\/(.+)\/(ses_[0-9a-z]{26})\/([1-9]\d{0,5})\.md$/u;

/** Characters that a path segment may not have, and the escape character itself. */
const ESCAPED = /[%\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\.+$|^\s+|\s+$/gu;
const BEYOND_ASCII = /[^ -~]/gu;

/** Which page of which transcript. */
export interface TranscriptPageId {
  sessionKey: string;
  /** The session id of the conversation: `ses_…`. */
  conversation: string;
  /** 1, 2, 3 … */
  page: number;
}

/** The folder of a session's transcripts, such as `sessions/telegram/group/-100/`. */
export function transcriptFolder(sessionKey: string): string {
  const [, , ...parts] = sessionKey.split(":");
  return `${TRANSCRIPTS}${parts.map(escapeSegment).join("/")}/`;
}

/** The path of a page, such as `sessions/main/ses_…/1.md`. */
export function transcriptPath({ sessionKey, conversation, page }: TranscriptPageId): string {
  return `${transcriptFolder(sessionKey)}${conversation}/${page}.md`;
}

/** The page of an agent's transcripts at a path; undefined if no page can have that path. */
export function parseTranscriptPath(path: string, agentId: string): TranscriptPageId | undefined {
  const [, folder, conversation, page] = PATH.exec(path) ?? [];
  if (folder === undefined || conversation === undefined) return undefined;
  const parts = folder.split("/").map(unescapeSegment);
  if (parts.includes(undefined)) return undefined;
  const place = { sessionKey: ["agent", agentId, ...parts].join(":"), conversation, page: Number(page) };
  return transcriptPath(place) === path ? place : undefined;
}

/** A part of a session key as a path segment: characters that a path may not have are escaped, accents composed. */
function escapeSegment(part: string): string {
  const escaped = part.replace(ESCAPED, percentEncoded);
  return escaped === escaped.normalize("NFC") ? escaped : escaped.replace(BEYOND_ASCII, percentEncoded);
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(".", "%2E");
}

function unescapeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** A page of a transcript as a document of memory, without its text. */
export interface TranscriptPage {
  path: string;
  /** Changes whenever its lines change. */
  etag: string;
  /** Bytes of its text, including text that was cleared since. */
  size: number;
  /** When its last message was stored, in milliseconds since the epoch. */
  modifiedAt: number;
}
