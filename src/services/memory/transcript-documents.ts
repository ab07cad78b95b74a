import { atMost } from "../../lib/at-most.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import type { Refusal } from "../../lib/refusal.ts";
import type { Document, DocumentStore } from "../../memory/document-store.ts";
import type { TranscriptPage } from "../../memory/transcript-path.ts";
import { parseTranscriptPath } from "../../memory/transcript-path.ts";
import type { CallSession } from "../call-session.ts";
import { sessionTimes } from "./session-times.ts";
import { type IndexedPage, noteUnchanged, readTranscriptIndex } from "./transcript-index.ts";
import { isRemembered } from "./transcript-sources.ts";

/** Most sessions of an agent that are listed, the most recently active. */
const MAX_SESSIONS = 20_000;
/** Most sessions that one listing calls, and how many at once. */
const MAX_ASKED = 200;
const IN_FLIGHT = 6;
/** Most calls to one long session; each call paginates some thousands of messages. */
const MAX_CALLS = 50;
/** A page that was indexed this soon after activity may have been read before it. */
const SLACK_MS = 60_000;

/** The calls that memory makes to a session: its transcript as pages. */
export interface TranscriptSession {
  transcriptPages(): Promise<{ pages: TranscriptPage[]; isWhole: boolean } | Refusal | undefined>;
  transcriptPage(
    conversation: string,
    page: number,
  ): Promise<(TranscriptPage & { text: string }) | Refusal | undefined>;
}

/** Dependencies of `transcriptDocuments`. */
export interface TranscriptDocumentsDeps {
  agentId: string;
  /** The index of all sessions. */
  database: D1Database;
  /** The index of memories. */
  memory: D1Database;
  call: CallSession<TranscriptSession>;
  /** Requests another listing soon, because this one was incomplete. */
  goOn(): void;
  now(): number;
}

/**
 * The transcripts of an agent's sessions as memory documents. A listing calls only sessions that were active since they
 * were indexed; all others are listed from the index without loading them.
 */
export function transcriptDocuments(deps: TranscriptDocumentsDeps): DocumentStore {
  const { agentId, call } = deps;
  const read: DocumentStore["read"] = async (path) => {
    const place = placeAt(path, agentId);
    if (place === undefined) return undefined;
    const { sessionKey, conversation, page: number } = place;
    const page = await call(sessionKey, async (session) => session.transcriptPage(conversation, number));
    return page && { document: documentOf(page), text: page.text };
  };
  return {
    source: "sessions",
    covers: (path) => placeAt(path, agentId) !== undefined,
    list: () => list(deps),
    stat: async (path) => (await read(path))?.document,
    read,
  };
}

function placeAt(path: string, agentId: string) {
  const place = parseTranscriptPath(path, agentId);
  return place !== undefined && isRemembered(place.sessionKey) ? place : undefined;
}

async function list({ agentId, database, memory, call, goOn, now }: TranscriptDocumentsDeps): Promise<Document[]> {
  // The index is read first, so that pages indexed meanwhile are at least as new as the answers.
  const index = await readTranscriptIndex(memory, agentId);
  const talks = (await sessionTimes(database, agentId, MAX_SESSIONS)).filter(({ key }) => isRemembered(key));
  const keyOf = (path: string) => parseTranscriptPath(path, agentId)?.sessionKey;
  const known = Map.groupBy(index.pages, ({ path }) => keyOf(path));
  const changed = new Set(index.changed.map(keyOf));
  const withNews = talks.filter(
    ({ key, updatedAt }) => changed.has(key) || updatedAt + SLACK_MS > seenAt(known.get(key)),
  );
  const asked = await atMost(IN_FLIGHT, withNews.slice(0, MAX_ASKED), async ({ key }) => {
    return { key, pages: await ask(key, call) };
  });
  const answers = new Map(asked.flatMap(({ key, pages }) => (pages === undefined ? [] : [[key, pages] as const])));
  if (withNews.length > MAX_ASKED && asked.some(({ pages }) => pages?.length)) goOn();
  const unchanged = [...answers].flatMap(([key, pages]) => (isKnown(pages, known.get(key)) ? pages.slice(0, 1) : []));
  const paths = unchanged.map(({ path }) => path);
  if (paths.length > 0) await noteUnchanged(memory, agentId, paths, now());
  return talks.flatMap(({ key }) => answers.get(key) ?? known.get(key) ?? []).map(documentOf);
}

/** When the index of a session was last known to match the session. */
function seenAt(pages: readonly IndexedPage[] = []): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...pages.map(({ indexedAt }) => indexedAt));
}

/** The pages of a session; undefined if it does not answer, so that it is called again later. */
async function ask(sessionKey: string, call: CallSession<TranscriptSession>): Promise<TranscriptPage[] | undefined> {
  try {
    let remembered = NOTHING;
    for (let calls = 0; calls < MAX_CALLS && !remembered.isWhole; calls++) {
      remembered = await call(sessionKey, async (session) => (await session.transcriptPages()) ?? NO_SESSION);
    }
    return remembered.pages;
  } catch (error) {
    log("warn", "memory.session_silent", { sessionKey, error: messageOf(error) });
    return undefined;
  }
}

const NOTHING: { pages: TranscriptPage[]; isWhole: boolean } = { pages: [], isWhole: false };
const NO_SESSION = { pages: [], isWhole: true };

function isKnown(pages: readonly TranscriptPage[], known: readonly IndexedPage[] = []): boolean {
  const etags = new Map(known.map(({ path, etag }) => [path, etag]));
  return pages.length > 0 && pages.every(({ path, etag }) => etags.get(path) === etag);
}

function documentOf({ path, etag, size, modifiedAt }: TranscriptPage): Document {
  return { path, source: "sessions", etag, size, modifiedAt };
}
