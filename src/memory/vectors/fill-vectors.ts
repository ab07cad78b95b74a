import { messageOf } from "../../lib/errors.ts";
import { type Embedder, EmbedError } from "../embed/embedder.ts";
import { type FilledSpace, fillSpace } from "./fill-space.ts";
import {
  beginSpace,
  dropSpace,
  findSpace,
  isUsable,
  markBuilding,
  markLeaving,
  markReady,
  readSpaces,
  recordFailure,
  type Space,
} from "./spaces.ts";
import { VectorIndexError } from "./vector-index.ts";
import {
  chooseStore,
  enabledEmbedders,
  openIndex,
  openToClear,
  type StoreDeps,
  type VectorDeps,
} from "./vector-store.ts";

/** The result of filling. */
export interface Filled {
  /** 1 if there is work that can go on at once, otherwise 0. */
  left: number;
  /** When to try again after a provider or a store failed. */
  retryInMs?: number;
}

/** How long a provider may fail before the fallback replaces it. A failure that needs a person replaces it at once. */
const PATIENCE_MS = 10 * 60_000;
const MIN_RETRY_MS = 60_000;
const MAX_RETRY_MS = 60 * 60_000;

/**
 * Makes missing vectors within a time budget and removes those that are no longer needed. The space that answers comes
 * first, then the one that replaces it. Failures are recorded for the status. Safe to run twice at once and to
 * interrupt.
 * @throws what D1 throws
 */
export async function fillVectors(deps: VectorDeps, { budgetMs }: { budgetMs: number }): Promise<Filled> {
  const until = deps.now() + budgetMs;
  const { primary, fallback } = enabledEmbedders(deps);
  await pauseSpaces(deps);
  const own = primary && (await ownSpace(deps, primary));
  let isLeft = false;
  for (const former of own?.state === "building" ? await formerSpaces(deps, own) : []) {
    const { filled } = await fillTask(deps, former, until);
    isLeft ||= !filled.whole && filled.failure === undefined;
  }
  const first = own && (await fillTask(deps, { space: own, embedder: primary }, until));
  const spare = fallback && first && isLasting(first, deps.now()) ? await ownSpace(deps, fallback) : undefined;
  const second = spare && fallback && (await fillTask(deps, { space: spare, embedder: fallback }, until));
  await removeUnused(deps, first, second);
  const cleared = await clearLeaving(deps, until);
  isLeft ||= cleared === "left" || [first, second].some((work) => work?.filled.whole === false && !work.filled.failure);
  const retryInMs = retryDelay([first, second], cleared === "failed", deps.now());
  return { left: isLeft ? 1 : 0, ...(retryInMs !== undefined && { retryInMs }) };
}

/** Removes the vectors of chunks. May be repeated. @throws VectorIndexError */
export async function removeVectors(deps: StoreDeps, chunkIds: readonly number[]): Promise<void> {
  const { spaces } = await readSpaces(deps.database, deps.agentId);
  for (const space of spaces) {
    if (space.state !== "leaving") await (await openIndex(deps, space)).remove(chunkIds);
  }
}

/** A space and the embedder that fills it. */
interface Task {
  space: Space;
  embedder: Embedder;
}

/** A space after work on it. */
interface Work {
  space: Space;
  filled: FilledSpace;
}

/** Spaces in D1 of a memory that is too large for them no longer count as complete. */
async function pauseSpaces({ database, agentId }: VectorDeps): Promise<void> {
  const { spaces, chunks } = await readSpaces(database, agentId);
  const paused = spaces.filter((space) => space.state === "ready" && !isUsable(space, chunks));
  await markBuilding(
    database,
    paused.map(({ id }) => id),
  );
}

/** The space of a configured embedder, created if missing; undefined without an index or without a store for it. */
async function ownSpace(deps: VectorDeps, embedder: Embedder): Promise<Space | undefined> {
  const { database, agentId } = deps;
  const { store } = await chooseStore(deps, embedder, await readSpaces(database, agentId));
  if (store === null) return undefined;
  await beginSpace(database, agentId, embedder, { store, now: deps.now() });
  return findSpace((await readSpaces(database, agentId)).spaces, embedder, store);
}

/**
 * Spaces that answer until another one is complete: of earlier embedders that can still be called, or in another store.
 */
async function formerSpaces(deps: VectorDeps, own: Space): Promise<Task[]> {
  const { primary, fallback } = enabledEmbedders(deps);
  const { spaces } = await readSpaces(deps.database, deps.agentId);
  return spaces.flatMap((space) => {
    const isFormer = space.state === "ready" && space.id !== own.id && space.key !== fallback?.space;
    const embedder = space.key === own.key ? primary : deps.embedderForSpace(space.key);
    return isFormer && embedder !== undefined ? [{ space, embedder }] : [];
  });
}

async function fillTask(deps: VectorDeps, { space, embedder }: Task, until: number): Promise<Work> {
  const { database } = deps;
  const filled = await fillSpace(deps, space, embedder, until);
  const { failure, whole } = filled;
  if (failure !== undefined) {
    const at = deps.now();
    await recordFailure(database, space.id, { message: messageOf(failure), at });
    return { space: { ...space, failingSince: space.failingSince ?? at }, filled };
  }
  if (space.failure !== null) await recordFailure(database, space.id, undefined);
  if (whole && space.state === "building") await markReady(database, space.id);
  return { space: { ...space, failingSince: null, state: whole ? "ready" : space.state }, filled };
}

/** Whether a provider needs a person, or has failed for a while. */
function isLasting({ space, filled: { failure } }: Work, now: number): boolean {
  if (!(failure instanceof EmbedError)) return false;
  return failure.kind === "auth" || now - (space.failingSince ?? now) >= PATIENCE_MS;
}

/** Marks all spaces but those of the configured embedders for removal, once the primary's or the fallback's answers. */
async function removeUnused(deps: VectorDeps, first: Work | undefined, second: Work | undefined): Promise<void> {
  const { primary, fallback } = enabledEmbedders(deps);
  const { spaces, chunks } = await readSpaces(deps.database, deps.agentId);
  const answers = (work: Work | undefined) => work?.space.state === "ready" && work.filled.failure === undefined;
  const isKept = (space: Space) => {
    if (space.id === first?.space.id || space.id === second?.space.id) return true;
    if (primary === undefined || answers(first)) return false;
    // The fallback is called only after the primary has failed for a while, which may be soon.
    if (space.key === fallback?.space) return true;
    // A paused space goes on when the memory is small enough again, unless another store takes the vectors.
    if (!isUsable(space, chunks)) return first === undefined && space.key === primary.space;
    return space.state === "ready" && !answers(second);
  };
  const unused = spaces.filter((space) => space.state !== "leaving" && !isKept(space));
  await markLeaving(
    deps.database,
    unused.map(({ id }) => id),
  );
}

/** Clears leaving spaces as far as time permits. */
async function clearLeaving(deps: VectorDeps, until: number): Promise<"clear" | "left" | "failed"> {
  const { spaces } = await readSpaces(deps.database, deps.agentId);
  try {
    for (const space of spaces.filter(({ state }) => state === "leaving")) {
      const index = await openToClear(deps, space);
      while (!(await index.clear())) {
        if (deps.now() >= until) return "left";
      }
      await dropSpace(deps.database, space.id);
    }
    return "clear";
  } catch (error) {
    if (error instanceof VectorIndexError) return "failed";
    throw error;
  }
}

/** The longer something fails, the later it is tried again. */
function retryDelay(works: readonly (Work | undefined)[], hasClearingFailed: boolean, now: number): number | undefined {
  const waits = works.flatMap((work) => {
    const failure = work?.filled.failure;
    if (work === undefined || failure === undefined) return [];
    const wanted = failure instanceof EmbedError ? (failure.retryAfterMs ?? 0) : 0;
    return [Math.max(wanted, now - (work.space.failingSince ?? now))];
  });
  if (waits.length === 0 && !hasClearingFailed) return undefined;
  return Math.min(Math.max(MIN_RETRY_MS, ...waits), MAX_RETRY_MS);
}
