import { messageOf } from "../../lib/errors.ts";
import { type Embedder, EmbedError } from "../embed/embedder.ts";
import { chooseStore } from "./choose-store.ts";
import { type FilledSpace, fillSpace } from "./fill-space.ts";
import { openIndex, openToClear } from "./open-index.ts";
import { becomeReady, beginSpace, dropSpace, letLeave, noteFailure, type Space, spaceOf, spacesOf } from "./spaces.ts";
import { VectorIndexError } from "./vector-index.ts";
import type { VectorRoom } from "./vector-room.ts";

/** How far the vectors were brought. */
export interface Filled {
  /** Whether there is work that can be done now: 0 where there is none, or where somebody has to be waited for. */
  left: number;
  /** After how long it is worth trying again, where a provider or a store failed. */
  retryInMs?: number;
}

/** How long a provider may fail before the fallback takes its place, unless only a person can put it right. */
const PATIENCE_MS = 10 * 60_000;
const SOONEST_RETRY_MS = 60_000;
const LATEST_RETRY_MS = 60 * 60_000;

/**
 * Makes the vectors that are missing, as far as the budget goes, and clears those away that nobody needs. The space that
 * answers comes first, then the one that is to take its place. A failure is kept for the status, and not thrown. Two may do
 * it at once, and it may end anywhere.
 * @throws what D1 throws
 */
export async function fillVectors(room: VectorRoom, { budgetMs }: { budgetMs: number }): Promise<Filled> {
  const until = room.now() + budgetMs;
  const { primary, fallback } = embeddersOf(room);
  const own = primary && (await ownSpace(room, primary));
  let isLeft = false;
  for (const former of own?.state === "building" ? await formerSpaces(room, own) : []) {
    const { filled } = await bring(room, former, until);
    isLeft ||= !filled.whole && filled.failure === undefined;
  }
  const first = own && (await bring(room, { space: own, embedder: primary }, until));
  const spare = fallback && first && isHopeless(first, room.now()) ? await ownSpace(room, fallback) : undefined;
  const second = spare && fallback && (await bring(room, { space: spare, embedder: fallback }, until));
  await letOthersLeave(room, first, second);
  const cleared = await clearLeaving(room, until);
  isLeft ||= cleared === "left" || [first, second].some((work) => work?.filled.whole === false && !work.filled.failure);
  const retryInMs = retryOf([first, second], cleared === "failed", room.now());
  return { left: isLeft ? 1 : 0, ...(retryInMs !== undefined && { retryInMs }) };
}

/** Forgets the vectors of chunks that are being removed. May be called again. @throws VectorIndexError */
export async function forgetChunks(
  room: Pick<VectorRoom, "database" | "agentId" | "vectorize" | "host" | "packs">,
  chunkIds: readonly number[],
): Promise<void> {
  for (const space of await spacesOf(room.database, room.agentId)) {
    // Of one that is leaving, all goes.
    if (space.state !== "leaving") await (await openIndex(room, space)).remove(chunkIds);
  }
}

/** Who makes vectors; nobody where none are to be kept. */
export function embeddersOf({ embedders, settings }: VectorRoom): VectorRoom["embedders"] {
  return settings.store.vector.enabled ? embedders : { primary: undefined, fallback: undefined };
}

/** A space, and who makes its vectors. */
interface Task {
  space: Space;
  embedder: Embedder;
}

/** A space after it was worked on. */
interface Work {
  space: Space;
  filled: FilledSpace;
}

/** The space of an embedder that is configured; it is begun where there is none. An agent without an index has none. */
async function ownSpace(room: VectorRoom, embedder: Embedder): Promise<Space | undefined> {
  const { database, agentId } = room;
  const { store } = await chooseStore(room, embedder, await spacesOf(database, agentId));
  await beginSpace(database, agentId, embedder, { store, now: room.now() });
  return spaceOf(await spacesOf(database, agentId), embedder, store);
}

/** Spaces that answer until that one is whole: of embedders of before, as far as they can be asked, or in another store. */
async function formerSpaces(room: VectorRoom, own: Space): Promise<Task[]> {
  const { primary, fallback } = embeddersOf(room);
  const all = await spacesOf(room.database, room.agentId);
  return all.flatMap((space) => {
    const isFormer = space.state === "ready" && space.id !== own.id && space.key !== fallback?.space;
    const embedder = space.key === own.key ? primary : room.embedderOf(space.key);
    return isFormer && embedder !== undefined ? [{ space, embedder }] : [];
  });
}

async function bring(room: VectorRoom, { space, embedder }: Task, until: number): Promise<Work> {
  const { database } = room;
  const filled = await fillSpace(room, space, embedder, until);
  const { failure, whole } = filled;
  if (failure !== undefined) {
    const at = room.now();
    await noteFailure(database, space.id, { message: messageOf(failure), at });
    return { space: { ...space, failingSince: space.failingSince ?? at }, filled };
  }
  if (space.failure !== null) await noteFailure(database, space.id, undefined);
  if (whole && space.state === "building") await becomeReady(database, space.id);
  return { space: { ...space, failingSince: null, state: whole ? "ready" : space.state }, filled };
}

/** Whether a provider will not be back soon: it wants a person, or has failed for a while. */
function isHopeless({ space, filled: { failure } }: Work, now: number): boolean {
  if (!(failure instanceof EmbedError)) return false;
  return failure.kind === "auth" || now - (space.failingSince ?? now) >= PATIENCE_MS;
}

/** Lets spaces go that nobody will ask: all others, once the primary's or else the fallback's answers. */
async function letOthersLeave(room: VectorRoom, first: Work | undefined, second: Work | undefined): Promise<void> {
  const { primary, fallback } = embeddersOf(room);
  const answers = (work: Work | undefined) => work?.space.state === "ready" && work.filled.failure === undefined;
  const kept = (space: Space) => {
    if (space.id === first?.space.id || space.id === second?.space.id) return true;
    if (primary === undefined || answers(first)) return false;
    // The fallback is not asked while there is hope, but it may be soon.
    if (space.key === fallback?.space) return true;
    return space.state === "ready" && !answers(second);
  };
  const all = await spacesOf(room.database, room.agentId);
  const leaving = all.filter((space) => space.state !== "leaving" && !kept(space));
  await letLeave(
    room.database,
    leaving.map(({ id }) => id),
  );
}

/** Clears spaces away as far as time goes; what Vectorize does not do now is tried again. */
async function clearLeaving(room: VectorRoom, until: number): Promise<"clear" | "left" | "failed"> {
  const all = await spacesOf(room.database, room.agentId);
  try {
    for (const space of all.filter(({ state }) => state === "leaving")) {
      const index = await openToClear(room, space);
      while (!(await index.clear())) {
        if (room.now() >= until) return "left";
      }
      await dropSpace(room.database, space.id);
    }
    return "clear";
  } catch (error) {
    if (error instanceof VectorIndexError) return "failed";
    throw error;
  }
}

/** The longer something fails, the later it is tried again. */
function retryOf(works: readonly (Work | undefined)[], isClearingLate: boolean, now: number): number | undefined {
  const waits = works.flatMap((work) => {
    const failure = work?.filled.failure;
    if (work === undefined || failure === undefined) return [];
    const wanted = failure instanceof EmbedError ? (failure.retryAfterMs ?? 0) : 0;
    return [Math.max(wanted, now - (work.space.failingSince ?? now))];
  });
  if (waits.length === 0 && !isClearingLate) return undefined;
  return Math.min(Math.max(SOONEST_RETRY_MS, ...waits), LATEST_RETRY_MS);
}
