import { batches } from "../../lib/batches.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { abandonVersions } from "../store/build-file.ts";
import { removeFiles } from "../store/change-files.ts";
import { settleChanges } from "../store/changes.ts";
import { clearLeftovers } from "../store/clear-index.ts";
import { releaseLease, takeLease, type UpdateResult } from "../store/lease.ts";
import type { MemoryIndex } from "../store/memory-index.ts";
import { readIndex } from "../store/read-index.ts";
import { type Comparison, compare, listAll } from "./compare.ts";
import { indexDocuments, indexForm, type PendingDocument, type SyncDeps } from "./index-documents.ts";

export interface SyncOptions {
  /** Index all files again while the old versions answer. Set it once; calls that continue the work leave it out. */
  force: boolean;
  /** Approximate time limit in milliseconds; at least one step is done. */
  budgetMs: number;
  /** Approximate limit of bytes to read. */
  budgetBytes?: number;
}

export interface SyncAnswer {
  /** Files that are left, and one more if rows have to be deleted; at least 1 if `busy`. */
  left: number;
  /** Another worker has the lease, so nothing was done. */
  busy: boolean;
  /** Files that were indexed or removed. */
  indexed: number;
  /** Why something failed, a sentence. The next call tries again. */
  failure?: string;
}

const BUDGET_BYTES = 32 * 1024 * 1024;
/** How long a lease outlasts its time limit. */
const LEASE_MARGIN_MS = 60_000;
/** Files of one call: each is a subrequest, and an invocation has 10,000 of them and 1,000 statements of D1. */
const MAX_FILES = 2_000;
/** Limits of files that are read together. */
const GROUP_FILES = 25;
const GROUP_BYTES = 512 * 1024;

/**
 * Compares all files with their stores and indexes those that differ. Safe to call at any time, by many at once, and
 * after a crash: one caller works, and unfinished work is continued or deleted.
 * @throws what D1 throws
 */
export async function syncFiles(deps: SyncDeps, options: SyncOptions): Promise<SyncAnswer> {
  const now = deps.now();
  const until = now + options.budgetMs + LEASE_MARGIN_MS;
  const lease = await takeLease(deps.database, deps.agentId, {
    form: indexForm(deps.settings),
    force: options.force,
    now,
    until,
  });
  if (lease === undefined) return { left: 1, busy: true, indexed: 0 };
  try {
    const work = await sync(deps, lease.index, options);
    await releaseLease(lease, updateResult(work, now, deps.now()));
    const { indexed, pending, leftovers, failure } = work;
    return { left: pending + Number(leftovers), busy: false, indexed, ...(failure !== undefined && { failure }) };
  } catch (thrown) {
    const failure = { message: messageOf(thrown), at: deps.now() };
    await releaseLease(lease, { comparedAt: undefined, pending: 0, failure }).catch((again: unknown) => {
      log("warn", "memory.lease_left", { agentId: deps.agentId, error: messageOf(again) });
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

function updateResult({ compared, pending, failure }: Work, comparedAt: number, now: number): UpdateResult {
  return {
    comparedAt: compared ? comparedAt : undefined,
    pending,
    failure: failure === undefined ? undefined : { message: failure, at: now },
  };
}

async function sync(deps: SyncDeps, index: MemoryIndex, options: SyncOptions): Promise<Work> {
  const endsAt = deps.now() + options.budgetMs;
  const mayGoOn = () => deps.now() < endsAt;
  // Read rows first: a file that is indexed while its store is listed then has another revision.
  const state = await readIndex(index);
  const listing = await listAll(deps.stores);
  const comparison = compare(index, state, listing);
  let indexed = await removeAndSettle(index, comparison);
  let pending = comparison.pending.length;
  let failure = listing.failure;
  let bytes = 0;
  const sizeOf = ({ size }: PendingDocument) => size;
  for (const group of batches(comparison.pending.slice(0, MAX_FILES), sizeOf, {
    size: GROUP_BYTES,
    count: GROUP_FILES,
  })) {
    if (bytes > 0 && (!mayGoOn() || bytes >= (options.budgetBytes ?? BUDGET_BYTES))) break;
    const step = await indexDocuments(deps, index, group, mayGoOn);
    bytes += group.reduce((sum, { size }) => sum + size, 1);
    indexed += step.done;
    pending -= step.done;
    failure ??= step.failure;
  }
  const clearing = await clear(deps, index, mayGoOn);
  return {
    compared: listing.failure === undefined,
    indexed,
    pending,
    leftovers: clearing === "left",
    failure: failure ?? (clearing === "left" || clearing === "clear" ? undefined : clearing.failure),
  };
}

async function removeAndSettle(index: MemoryIndex, { removed, settled, abandoned }: Comparison): Promise<number> {
  await abandonVersions(index, abandoned);
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

/** Deletes what is no longer searched. Vectors that cannot be removed now are removed by the next call. */
async function clear(
  deps: SyncDeps,
  index: MemoryIndex,
  mayGoOn: () => boolean,
): Promise<"clear" | "left" | { failure: string }> {
  let refused: string | undefined;
  const removeVectors = async (chunkIds: readonly number[]) => {
    try {
      await deps.removeVectors(chunkIds);
    } catch (thrown) {
      refused = messageOf(thrown);
      throw thrown;
    }
  };
  try {
    do {
      if (!(await clearLeftovers(index, removeVectors))) return "clear";
    } while (mayGoOn());
    return "left";
  } catch (thrown) {
    if (refused === undefined) throw thrown;
    return { failure: refused };
  }
}
