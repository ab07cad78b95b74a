import type { Agent } from "../../config/agents.ts";
import { atMost } from "../../lib/at-most.ts";
import { batches } from "../../lib/batches.ts";
import { messageOf } from "../../lib/errors.ts";
import type { DocumentStore, DocumentText } from "../document-store.ts";
import { abandonVersions, addToBuilding, beginBuilding, finishBuilding } from "../store/build-file.ts";
import { changeFiles, type FileChange, removeFiles } from "../store/change-files.ts";
import { settleChanges } from "../store/changes.ts";
import type { BuildingFile, FileNote, LiveFile, MemoryIndex, NewChunk } from "../store/memory-index.ts";
import { readChunks } from "../store/read-index.ts";
import { diffChunks, hashedChunks } from "./diff-chunks.ts";

/** Dependencies of updating an agent's index. */
export interface SyncDeps {
  database: D1Database;
  agentId: string;
  settings: Pick<Agent["memorySearch"], "chunking">;
  /** The sources of its texts; documents of other stores are removed from the index. */
  stores: readonly DocumentStore[];
  /** Removes the vectors of deleted chunks; repeated if it rejects. */
  removeVectors(chunkIds: readonly number[]): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** UTF-16 units of new text in one transaction; default `MAX_UNITS`. */
  maxUnits?: number;
}

/** A file with more UTF-16 units of new text is written in several steps. */
const MAX_UNITS = 500_000;

/** The version of chunks and terms. Raise it with a change of either, so that all files are indexed again. */
const FORM = 1;

/** The settings that chunks are made with, as stored in `meta.settings`. */
export function indexForm({ chunking }: SyncDeps["settings"]): string {
  return `${FORM}/${chunking.tokens}/${chunking.overlap}`;
}

/** Documents that are read in parallel. */
const IN_FLIGHT = 4;

/** A document to index. */
export interface PendingDocument {
  path: string;
  store: DocumentStore;
  /** As listed, in bytes. */
  size: number;
  live: LiveFile | undefined;
  building: BuildingFile | undefined;
  /** The token of its noted change, if there is one. */
  token: string | undefined;
}

/** The result of indexing documents. */
export interface IndexedDocuments {
  /** Documents that are up to date now, and those that are not. */
  done: number;
  left: number;
  failure?: string;
}

/** A document with its changes, before they are written. */
interface Draft extends PendingDocument {
  read: DocumentText;
  chunks: readonly NewChunk[];
  change: FileChange;
}

/**
 * Indexes documents; small changes share a transaction. Documents that another worker changes at the same time, or that
 * cannot be read, are left.
 * @param mayGoOn called between the steps of long work
 * @throws what D1 throws
 */
export async function indexDocuments(
  deps: SyncDeps,
  index: MemoryIndex,
  waiting: readonly PendingDocument[],
  mayGoOn: () => boolean,
): Promise<IndexedDocuments> {
  const reads = await atMost(IN_FLIGHT, waiting, readOne);
  const found = reads.flatMap((read) => (read.kind === "text" ? [read] : []));
  const missing = reads.flatMap((read) => (read.kind === "gone" ? [read.waiting] : []));
  const failure = reads.find((read) => read.kind === "failed")?.message;
  let done = await removeMissing(index, missing);
  const drafts = await makeDrafts(deps, index, found);
  const same = drafts.filter(({ live, read }) => live?.etag === read.document.etag && isCurrent(live, index));
  await settleChanges(index, noteTokens(same));
  done += same.length;
  const others = drafts.filter((draft) => !same.includes(draft));
  const isLarge = ({ change }: Draft) => addedUnits(change) > (deps.maxUnits ?? MAX_UNITS);
  const small = others.filter((draft) => !isLarge(draft)).map(({ change }) => change);
  done += await changeAll(deps, index, small);
  for (const draft of others.filter(isLarge)) {
    if (await buildVersion(deps, index, draft, mayGoOn)) done++;
  }
  return { done, left: waiting.length - done, ...(failure !== undefined && { failure }) };
}

type Read =
  | { kind: "text"; waiting: PendingDocument; read: DocumentText }
  | { kind: "gone"; waiting: PendingDocument }
  | { kind: "failed"; message: string };

async function readOne(waiting: PendingDocument): Promise<Read> {
  try {
    const read = await waiting.store.read(waiting.path);
    return read === undefined ? { kind: "gone", waiting } : { kind: "text", waiting, read };
  } catch (thrown) {
    return { kind: "failed", message: messageOf(thrown) };
  }
}

async function makeDrafts(
  { database, settings }: SyncDeps,
  index: MemoryIndex,
  found: readonly { waiting: PendingDocument; read: DocumentText }[],
): Promise<Draft[]> {
  const ids = found.flatMap(({ waiting: { live } }) => (live === undefined || live.chunks === 0 ? [] : [live.id]));
  const stored = Map.groupBy(await readChunks(database, ids), ({ fileId }) => fileId);
  const drafts: Draft[] = [];
  for (const { waiting, read } of found) {
    const { live, token } = waiting;
    const there = (live && stored.get(live.id)) ?? [];
    const chunks = await hashedChunks(read.text, settings.chunking);
    // Chunks of another generation may have been cut or analyzed in another way.
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

function addedUnits({ added }: FileChange): number {
  return added.reduce((sum, { text }) => sum + text.length, 0);
}

/** Removes documents that no longer exist. @returns how many */
async function removeMissing(index: MemoryIndex, missing: readonly PendingDocument[]): Promise<number> {
  const out = new Set(
    await removeFiles(
      index,
      missing.flatMap(({ live }) => live ?? []),
    ),
  );
  const gone = missing.filter(({ live }) => live === undefined || out.has(live.id));
  await settleChanges(index, noteTokens(gone));
  return gone.length;
}

function noteTokens(waiting: readonly PendingDocument[]): FileNote[] {
  return waiting.flatMap(({ path, token }) => (token === undefined ? [] : [{ path, token }]));
}

/**
 * Stores changes in few transactions. If one fails because of a single file, its files are stored one by one. @returns
 * how many
 */
async function changeAll(deps: SyncDeps, index: MemoryIndex, changes: readonly FileChange[]): Promise<number> {
  const now = deps.now();
  let done = 0;
  for (const together of batches(changes, addedUnits, { size: deps.maxUnits ?? MAX_UNITS })) {
    if (await changeFiles(index, together, now)) done += together.length;
    else if (together.length > 1) for (const change of together) if (await changeFiles(index, [change], now)) done++;
  }
  return done;
}

/**
 * Writes a new version of a file in steps, or continues one, and replaces the live version with it. Does at least one
 * step.
 * @returns whether the live version is replaced
 */
async function buildVersion(
  deps: SyncDeps,
  index: MemoryIndex,
  { chunks, change, building }: Draft,
  mayGoOn: () => boolean,
): Promise<boolean> {
  const { document, live, token, warning } = change;
  const begun = building?.etag === document.etag && building.generation === index.generation ? building : undefined;
  let version = begun ?? (await beginBuilding(index, document, deps.now()));
  const built = diffChunks(chunks, version.chunks === 0 ? [] : await readChunks(deps.database, [version.id]));
  if (built.removed.length > 0) {
    await abandonVersions(index, [version]);
    return false;
  }
  const reusable = live?.generation === index.generation ? await readChunks(deps.database, [live.id]) : [];
  const { added, kept } = diffChunks(built.added, reusable);
  let steps = 0;
  for (const step of batches(added, ({ text }) => text.length, { size: deps.maxUnits ?? MAX_UNITS })) {
    const filled = steps++ === 0 || mayGoOn() ? await addToBuilding(index, version, step) : undefined;
    if (filled === undefined) return false;
    version = filled;
  }
  return finishBuilding(index, version, { document, live, kept, warning, token }, deps.now());
}
