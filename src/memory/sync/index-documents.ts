import { atMost } from "../../lib/at-most.ts";
import { batches } from "../../lib/batches.ts";
import { messageOf } from "../../lib/errors.ts";
import { changeFiles, type FileChange, removeFiles, settleChanges } from "../store/change-files.ts";
import type { BuildingFile, LiveFile, MemoryIndex, NewChunk } from "../store/memory-index.ts";
import { chunksOfFiles } from "../store/read-index.ts";
import { buildVersion } from "./build-version.ts";
import { diffChunks, hashedChunks } from "./diff-chunks.ts";
import type { DocumentStore, DocumentText } from "./document-store.ts";
import { MAX_UNITS, type SyncRoom } from "./sync-room.ts";

/** How many documents are read at once. */
const IN_FLIGHT = 4;

/** A document that is to be indexed. */
export interface Waiting {
  path: string;
  store: DocumentStore;
  /** As listed, in bytes. */
  size: number;
  live: LiveFile | undefined;
  building: BuildingFile | undefined;
  /** Of the change that was noted, if one was. */
  token: string | undefined;
}

/** What came of some documents. */
export interface Indexed {
  /** How many are as their store has them, and how many wait still. */
  done: number;
  left: number;
  failure?: string;
}

/** What is found out of a document before anything is written. */
export interface Draft extends Waiting {
  read: DocumentText;
  chunks: readonly NewChunk[];
  change: FileChange;
}

/**
 * Indexes documents, together if their changes are small. What somebody else has changed meanwhile, and what a store does
 * not give, is left.
 * @param mayGoOn asked between the steps of long work
 * @throws what D1 throws
 */
export async function indexDocuments(
  room: SyncRoom,
  index: MemoryIndex,
  waiting: readonly Waiting[],
  mayGoOn: () => boolean,
): Promise<Indexed> {
  const reads = await atMost(IN_FLIGHT, waiting, readOne);
  const found = reads.flatMap((read) => (read.kind === "text" ? [read] : []));
  const missing = reads.flatMap((read) => (read.kind === "gone" ? [read.waiting] : []));
  const failure = reads.find((read) => read.kind === "failed")?.message;
  let done = await takeOut(index, missing);
  const drafts = await draftsOf(room, index, found);
  const same = drafts.filter(({ live, read }) => live?.etag === read.document.etag && isCurrent(live, index));
  await settleChanges(index, tokensOf(same));
  done += same.length;
  const others = drafts.filter((draft) => !same.includes(draft));
  const isLarge = ({ change }: Draft) => unitsOf(change) > (room.maxUnits ?? MAX_UNITS);
  const small = others.filter((draft) => !isLarge(draft)).map(({ change }) => change);
  done += await changeAll(room, index, small);
  for (const draft of others.filter(isLarge)) {
    if (await buildVersion(room, index, draft, mayGoOn)) done++;
  }
  return { done, left: waiting.length - done, ...(failure !== undefined && { failure }) };
}

type Read =
  | { kind: "text"; waiting: Waiting; read: DocumentText }
  | { kind: "gone"; waiting: Waiting }
  | { kind: "failed"; message: string };

async function readOne(waiting: Waiting): Promise<Read> {
  try {
    const read = await waiting.store.read(waiting.path);
    return read === undefined ? { kind: "gone", waiting } : { kind: "text", waiting, read };
  } catch (thrown) {
    return { kind: "failed", message: messageOf(thrown) };
  }
}

async function draftsOf(
  { database, settings }: SyncRoom,
  index: MemoryIndex,
  found: readonly { waiting: Waiting; read: DocumentText }[],
): Promise<Draft[]> {
  const ids = found.flatMap(({ waiting: { live } }) => (live === undefined || live.chunks === 0 ? [] : [live.id]));
  const stored = Map.groupBy(await chunksOfFiles(database, ids), ({ fileId }) => fileId);
  const drafts: Draft[] = [];
  for (const { waiting, read } of found) {
    const { live, token } = waiting;
    const there = (live && stored.get(live.id)) ?? [];
    const chunks = await hashedChunks(read.text, settings.chunking);
    // What another generation has made is not trusted: it may have been cut up, or put into terms, in another way.
    const { added, removed } = isCurrent(live, index)
      ? diffChunks(chunks, there)
      : { added: chunks, removed: there.map(({ id }) => id) };
    const change = { document: read.document, live, added, removed, warning: read.warning, token };
    drafts.push({ ...waiting, read, chunks, change });
  }
  return drafts;
}

function isCurrent(live: LiveFile | undefined, { generation }: MemoryIndex): boolean {
  return live?.generation === generation;
}

function unitsOf({ added }: FileChange): number {
  return added.reduce((sum, { text }) => sum + text.length, 0);
}

/** Takes documents out that are there no more. @returns how many */
async function takeOut(index: MemoryIndex, missing: readonly Waiting[]): Promise<number> {
  const out = new Set(
    await removeFiles(
      index,
      missing.flatMap(({ live }) => live ?? []),
    ),
  );
  const gone = missing.filter(({ live }) => live === undefined || out.has(live.id));
  await settleChanges(index, tokensOf(gone));
  return gone.length;
}

function tokensOf(waiting: readonly Waiting[]): { path: string; token: string }[] {
  return waiting.flatMap(({ path, token }) => (token === undefined ? [] : [{ path, token }]));
}

/** Stores changes in few transactions; where one fails because of a single file, the others go alone. @returns how many */
async function changeAll(room: SyncRoom, index: MemoryIndex, changes: readonly FileChange[]): Promise<number> {
  const now = room.now();
  let done = 0;
  for (const together of batches(changes, unitsOf, { size: room.maxUnits ?? MAX_UNITS })) {
    if (await changeFiles(index, together, now)) done += together.length;
    else if (together.length > 1) for (const change of together) if (await changeFiles(index, [change], now)) done++;
  }
  return done;
}
