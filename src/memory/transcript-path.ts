import { TRANSCRIPTS } from "./memory-paths.ts";

const PATH = /^sessions\/(.+)\/(ses_[0-9a-z]{26})\/([1-9]\d{0,5})\.md$/u;

/** What a path may not have in a segment, and the escape character itself. */
const ESCAPED = /[%\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\.+$|^\s+|\s+$/gu;
const BEYOND_ASCII = /[^ -~]/gu;

/** A page of a transcript: which session's, of which conversation, and the how manieth. */
export interface TranscriptPlace {
  sessionKey: string;
  /** The session id that the conversation had: `ses_…`. */
  conversation: string;
  /** 1, 2, 3 … */
  page: number;
}

/** The folder of all that was said in a session, as `sessions/telegram/group/-100/`. */
export function transcriptFolder(sessionKey: string): string {
  const [, , ...parts] = sessionKey.split(":");
  return `${TRANSCRIPTS}${parts.map(segmentOf).join("/")}/`;
}

/** The path of a page, as `sessions/main/ses_…/1.md`. */
export function transcriptPath({ sessionKey, conversation, page }: TranscriptPlace): string {
  return `${transcriptFolder(sessionKey)}${conversation}/${page}.md`;
}

/** Which page of an agent's transcripts has a path; undefined where none can have it. */
export function transcriptAt(path: string, agentId: string): TranscriptPlace | undefined {
  const [, folder, conversation, page] = PATH.exec(path) ?? [];
  if (folder === undefined || conversation === undefined) return undefined;
  const parts = folder.split("/").map(partOf);
  if (parts.includes(undefined)) return undefined;
  const place = { sessionKey: ["agent", agentId, ...parts].join(":"), conversation, page: Number(page) };
  return transcriptPath(place) === path ? place : undefined;
}

/** A part of a key as a segment of a path, without anything that a path may not have, and with its accents composed. */
function segmentOf(part: string): string {
  const escaped = part.replace(ESCAPED, escapedText);
  return escaped === escaped.normalize("NFC") ? escaped : escaped.replace(BEYOND_ASCII, escapedText);
}

function escapedText(text: string): string {
  return encodeURIComponent(text).replaceAll(".", "%2E");
}

function partOf(segment: string): string | undefined {
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
  /** Another one whenever its lines are others. */
  etag: string;
  /** Of its text, in bytes; of what is gone since, too. */
  size: number;
  /** When the last of it was said. */
  modifiedAt: number;
}
