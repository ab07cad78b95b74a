import { desc, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { changes, meta } from "../../db/memory-schema.ts";
import type { Document, DocumentStore } from "../document-store.ts";
import { settleChanges } from "../store/changes.ts";
import type { FileNote, LiveFile, MemoryIndex } from "../store/memory-index.ts";
import { readLiveFiles } from "../store/read-index.ts";
import { indexDocuments, indexForm, type PendingDocument, type SyncDeps } from "./index-documents.ts";

/** What a search may index itself. */
export interface InlineLimits {
  files: number;
  /** In total. */
  bytes: number;
}

/** Fits into the time of a search. */
const INLINE_LIMITS: InlineLimits = { files: 4, bytes: 256 * 1024 };

/** A file with more chunks in the index is left to the queue, however small it is now. */
const MAX_CHUNKS = 500;

/**
 * Indexes a few small files with noted changes, the latest first; `syncFiles` does the rest. Safe to call while that
 * runs, and by many at once.
 * @returns how many are up to date now, and how many are known to be left, at most `files` + 1
 * @throws what D1 throws
 */
export async function indexChanged(
  deps: SyncDeps,
  limits: InlineLimits = INLINE_LIMITS,
): Promise<{ indexed: number; left: number }> {
  const { database, agentId } = deps;
  const db = drizzle(database);
  const [[row], noted] = await db.batch([
    db
      .select({ memoryId: meta.id, generation: meta.generation, settings: meta.settings })
      .from(meta)
      .where(eq(meta.agentId, agentId)),
    db
      .select({ path: changes.path, token: changes.token })
      .from(changes)
      .where(eq(changes.agentId, agentId))
      .orderBy(desc(changes.at))
      .limit(limits.files + 1),
  ]);
  if (row === undefined || row.settings !== indexForm(deps.settings) || noted.length === 0) {
    return { indexed: 0, left: noted.length };
  }
  const index: MemoryIndex = { database, agentId, memoryId: row.memoryId, generation: row.generation };
  const chosen = noted.slice(0, limits.files);
  const live = await readLiveFiles(
    index,
    chosen.map(({ path }) => path),
  );
  const inspected = await Promise.all(chosen.map((note) => inspect(deps.stores, note, live)));
  const unknown = inspected.flatMap((one) => (one.kind === "unknown" ? [one.note] : []));
  await settleChanges(index, unknown);
  let bytes = 0;
  const small = inspected.flatMap((one) => {
    if (one.kind === "gone") return [one.document];
    if (one.kind !== "there" || (one.document.live?.chunks ?? 0) > MAX_CHUNKS) return [];
    bytes += one.document.size;
    return bytes <= limits.bytes ? [one.document] : [];
  });
  const { done } = await indexDocuments(deps, index, small, () => false);
  return { indexed: done, left: noted.length - unknown.length - done };
}

type Inspected =
  | { kind: "there"; document: PendingDocument }
  /** To be removed, which is one row however long the file was. */
  | { kind: "gone"; document: PendingDocument }
  /** It belongs to no store. */
  | { kind: "unknown"; note: FileNote }
  | { kind: "left" };

/** Finds the document of a noted change without reading it. */
async function inspect(
  stores: readonly DocumentStore[],
  note: FileNote,
  live: readonly LiveFile[],
): Promise<Inspected> {
  const { path, token } = note;
  const file = live.find((one) => one.path === path);
  const store = stores.find((one) => one.covers(path));
  if (store === undefined) return file === undefined ? { kind: "unknown", note } : { kind: "left" };
  let listed: Document | undefined;
  try {
    listed = await store.stat(path);
  } catch {
    // The comparison of all files meets and reports the same failure.
    return { kind: "left" };
  }
  const document: PendingDocument = { path, store, size: listed?.size ?? 0, live: file, building: undefined, token };
  return { kind: listed === undefined ? "gone" : "there", document };
}
