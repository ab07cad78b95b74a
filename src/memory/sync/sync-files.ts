import { batches } from "../../lib/batches.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { giveUp } from "../store/build-file.ts";
import { removeFiles, settleChanges } from "../store/change-files.ts";
import { clearLeftovers } from "../store/clear-leftovers.ts";
import { giveBack, type Outcome, takeLease } from "../store/lease.ts";
import type { MemoryIndex } from "../store/memory-index.ts";
import { readIndex } from "../store/read-index.ts";
import { type Comparison, compare, listAll } from "./compare.ts";
import { indexDocuments, type Waiting } from "./index-documents.ts";
import { formOf, type SyncRoom } from "./sync-room.ts";

export interface SyncOptions {
  /** All files are read and cut anew, while what is there answers. To be asked for once: calls that go on with it leave it out. */
  force: boolean;
  /** About how long to work, in milliseconds; one step is done in any case. */
  budgetMs: number;
  /** About how much to read, in bytes. */
  budgetBytes?: number;
}

export interface SyncAnswer {
  /** Files that wait still, and one more where there is something to be cleared away; at least 1 where it is `busy`. */
  left: number;
  /** Whether somebody else is at it, so that nothing was done. */
  busy: boolean;
  /** Files that are indexed now, or were taken out. */
  indexed: number;
  /** Why something could not be done, a sentence. The same is tried again the next time. */
  failure?: string;
}

const BUDGET_BYTES = 32 * 1024 * 1024;
/** How much longer than its budget somebody may take before another may begin. */
const LEASE_MARGIN_MS = 60_000;
/** Most files of one call: each is a subrequest, and an invocation has 10,000 of them, and 1,000 statements of D1. */
const MAX_FILES = 2_000;
/** What is read together, at most. */
const GROUP_FILES = 25;
const GROUP_BYTES = 512 * 1024;

/**
 * Compares all files with their stores and indexes what is another. Safe to call at any time, by many at once, and after
 * a crash anywhere: one of them works, and what was half done is gone on with or cleared away.
 * @throws what D1 throws
 */
export async function syncFiles(room: SyncRoom, options: SyncOptions): Promise<SyncAnswer> {
  const now = room.now();
  const until = now + options.budgetMs + LEASE_MARGIN_MS;
  const lease = await takeLease(room.database, room.agentId, {
    form: formOf(room.settings),
    force: options.force,
    now,
    until,
  });
  if (lease === undefined) return { left: 1, busy: true, indexed: 0 };
  try {
    const work = await sync(room, lease.index, options);
    await giveBack(lease, outcomeOf(work, now, room.now()));
    const { indexed, pending, leftovers, failure } = work;
    return { left: pending + Number(leftovers), busy: false, indexed, ...(failure !== undefined && { failure }) };
  } catch (thrown) {
    const failure = { message: messageOf(thrown), at: room.now() };
    await giveBack(lease, { comparedAt: undefined, pending: 0, failure }).catch((again: unknown) => {
      log("warn", "memory.lease_left", { agentId: room.agentId, error: messageOf(again) });
    });
    throw thrown;
  }
}

interface Work {
  compared: boolean;
  indexed: number;
  pending: number;
  leftovers: boolean;
  failure: string | undefined;
}

function outcomeOf({ compared, pending, failure }: Work, comparedAt: number, now: number): Outcome {
  return {
    comparedAt: compared ? comparedAt : undefined,
    pending,
    failure: failure === undefined ? undefined : { message: failure, at: now },
  };
}

async function sync(room: SyncRoom, index: MemoryIndex, options: SyncOptions): Promise<Work> {
  const endsAt = room.now() + options.budgetMs;
  const mayGoOn = () => room.now() < endsAt;
  // Rows first: a file that is indexed while its store is listed has another revision than was seen.
  const state = await readIndex(index);
  const listing = await listAll(room.stores);
  const comparison = compare(index, state, listing);
  let indexed = await removeAndSettle(index, comparison);
  let pending = comparison.waiting.length;
  let failure = listing.failure;
  let bytes = 0;
  const sizeOf = ({ size }: Waiting) => size;
  for (const group of batches(comparison.waiting.slice(0, MAX_FILES), sizeOf, {
    size: GROUP_BYTES,
    count: GROUP_FILES,
  })) {
    if (bytes > 0 && (!mayGoOn() || bytes >= (options.budgetBytes ?? BUDGET_BYTES))) break;
    const step = await indexDocuments(room, index, group, mayGoOn);
    bytes += group.reduce((sum, { size }) => sum + size, 1);
    indexed += step.done;
    pending -= step.done;
    failure ??= step.failure;
  }
  const clearing = await clear(room, index, mayGoOn);
  return {
    compared: listing.failure === undefined,
    indexed,
    pending,
    leftovers: clearing === "left",
    failure: failure ?? (clearing === "left" || clearing === "clear" ? undefined : clearing.failure),
  };
}

async function removeAndSettle(index: MemoryIndex, { removed, settled, abandoned }: Comparison): Promise<number> {
  await giveUp(index, abandoned);
  const out = new Set(
    await removeFiles(
      index,
      removed.map(({ file }) => file),
    ),
  );
  const gone = removed.flatMap(({ file: { id, path }, token }) =>
    token !== undefined && out.has(id) ? [{ path, token }] : [],
  );
  await settleChanges(index, [...settled, ...gone]);
  return out.size;
}

/** Clears away what nobody searches. What cannot be forgotten now is tried again with the next work. */
async function clear(
  room: SyncRoom,
  index: MemoryIndex,
  mayGoOn: () => boolean,
): Promise<"clear" | "left" | { failure: string }> {
  let refused: string | undefined;
  const forget = async (chunkIds: readonly number[]) => {
    try {
      await room.forget(chunkIds);
    } catch (thrown) {
      refused = messageOf(thrown);
      throw thrown;
    }
  };
  try {
    do {
      if (!(await clearLeftovers(index, forget))) return "clear";
    } while (mayGoOn());
    return "left";
  } catch (thrown) {
    if (refused === undefined) throw thrown;
    return { failure: refused };
  }
}
