import { desc, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { changes, meta } from "../../db/memory-schema.ts";
import { settleChanges } from "../store/change-files.ts";
import type { Change, LiveFile, MemoryIndex } from "../store/memory-index.ts";
import { liveFilesAt } from "../store/read-index.ts";
import type { Document, DocumentStore } from "./document-store.ts";
import { indexDocuments, type Waiting } from "./index-documents.ts";
import { formOf, type SyncRoom } from "./sync-room.ts";

/** What a search may take upon itself. */
export interface InlineLimits {
  files: number;
  /** Of all of them together. */
  bytes: number;
}

/** So much is indexed in the time that a search may take. */
const INLINE_LIMITS: InlineLimits = { files: 4, bytes: 256 * 1024 };

/** A file with more chunks than this is left to the queue, however small it is now. */
const MAX_CHUNKS = 500;

/**
 * Indexes the files that were said to have changed, the latest first, as far as they are few and small; the others, and what
 * else has changed, are left to `syncFiles`. May be called while that is at work, and by many at once.
 * @returns how many are up to date now, and how many are known to wait still, `files` + 1 at most
 * @throws what D1 throws
 */
export async function indexChanged(
  room: SyncRoom,
  limits: InlineLimits = INLINE_LIMITS,
): Promise<{ indexed: number; left: number }> {
  const { database, agentId } = room;
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
  if (row === undefined || row.settings !== formOf(room.settings) || noted.length === 0) {
    return { indexed: 0, left: noted.length };
  }
  const index: MemoryIndex = { database, agentId, memoryId: row.memoryId, generation: row.generation };
  const chosen = noted.slice(0, limits.files);
  const live = await liveFilesAt(
    index,
    chosen.map(({ path }) => path),
  );
  const looks = await Promise.all(chosen.map((change) => look(room.stores, change, live)));
  const foreign = looks.flatMap((seen) => (seen.kind === "foreign" ? [seen.change] : []));
  await settleChanges(index, foreign);
  let bytes = 0;
  const small = looks.flatMap((seen) => {
    if (seen.kind === "gone") return [seen.waiting];
    if (seen.kind !== "there" || (seen.waiting.live?.chunks ?? 0) > MAX_CHUNKS) return [];
    bytes += seen.waiting.size;
    return bytes <= limits.bytes ? [seen.waiting] : [];
  });
  const { done } = await indexDocuments(room, index, small, () => false);
  return { indexed: done, left: noted.length - foreign.length - done };
}

type Look =
  | { kind: "there"; waiting: Waiting }
  /** To be taken out, which is one row however long it was. */
  | { kind: "gone"; waiting: Waiting }
  /** No store's any more. */
  | { kind: "foreign"; change: Change }
  | { kind: "silent" };

/** What a change is about, without reading it. */
async function look(stores: readonly DocumentStore[], change: Change, live: readonly LiveFile[]): Promise<Look> {
  const { path, token } = change;
  const file = live.find((one) => one.path === path);
  const store = stores.find((one) => one.covers(path));
  if (store === undefined) return file === undefined ? { kind: "foreign", change } : { kind: "silent" };
  let document: Document | undefined;
  try {
    document = await store.stat(path);
  } catch {
    // Whoever compares all files meets the same, and says so.
    return { kind: "silent" };
  }
  const waiting = { path, store, size: document?.size ?? 0, live: file, building: undefined, token };
  return { kind: document === undefined ? "gone" : "there", waiting };
}
