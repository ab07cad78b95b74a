import type { MemoryStatus } from "../agent-memory.ts";
import type { VectorLeg } from "../search/search-room.ts";
import type { VectorRoom } from "./vector-room.ts";

/** How far the vectors were brought. */
export interface Filled {
  /** How much work is left that can be done now: 0 where there is none, or where a provider has to be waited for. */
  left: number;
  /** After how long it is worth trying again, where a provider failed. */
  retryInMs?: number;
}

/**
 * Makes the vectors that are missing, as far as the budget goes, and clears those away that nobody needs. To be called by
 * whoever has the agent's index to itself. A provider's failure is kept for the status, and not thrown.
 */
export async function fillVectors(_room: VectorRoom, _options: { budgetMs: number }): Promise<Filled> {
  return { left: 0 };
}

/** The half of a search that compares vectors; undefined where words alone are searched. Asks nobody yet. */
export function openVectorLeg(_room: VectorRoom): VectorLeg | undefined {
  return undefined;
}

/** What the status says of vectors. */
export async function vectorStatus(_room: VectorRoom): Promise<Pick<MemoryStatus, "vectors" | "failure">> {
  return { vectors: { store: null, ready: null, building: null }, failure: null };
}

/** Forgets the vectors of chunks that are being removed. May be called again. */
export async function forgetChunks(_room: VectorRoom, _chunkIds: readonly number[]): Promise<void> {}
