import type { Agent } from "../../config/agents.ts";
import type { DocumentStore } from "./document-store.ts";

/** What bringing an agent's index up to date works with. */
export interface SyncRoom {
  database: D1Database;
  agentId: string;
  settings: Pick<Agent["memorySearch"], "chunking">;
  /** Where its texts are; what a store that is not among them once had is taken out of the index. */
  stores: readonly DocumentStore[];
  /** Told which chunks are gone, once or again; until it has settled they count as not told. */
  forget(chunkIds: readonly number[]): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Most UTF-16 units of new text that one transaction takes; `MAX_UNITS` where absent. */
  maxUnits?: number;
}

/** A file with more new text than this is written in several steps. */
export const MAX_UNITS = 500_000;

/** How a text is cut up and its terms are made: to be raised with either of them, so that all files are read anew. */
const FORM = 1;

/** The settings that chunks are made with, as `meta.settings` has them. */
export function formOf({ chunking }: SyncRoom["settings"]): string {
  return `${FORM}/${chunking.tokens}/${chunking.overlap}`;
}
