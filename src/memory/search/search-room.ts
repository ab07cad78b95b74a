import type { Agent } from "../../config/agents.ts";
import type { Degraded, SearchAnswer } from "../agent-memory.ts";
import type { Embedder } from "../embed/embedder.ts";
import type { NearChunk } from "../vectors/vector-index.ts";

/** What a search works with. */
export interface SearchRoom {
  database: D1Database;
  agentId: string;
  settings: Agent["memorySearch"];
  now(): number;
  /**
   * Indexes what was changed a moment ago, as far as that is quick, and sees to it that the rest is done. Called once a search, with
   * what the index says of itself; never rejects.
   * @returns whether the index is another now
   */
  freshen(index: IndexAge): Promise<boolean>;
  /** Absent where words alone are searched. */
  vectorLeg: VectorLeg | undefined;
  /** What whoever asks may see; all where it is absent. */
  sight?: Sight | undefined;
}

/** What of a memory somebody may see. */
export interface Sight {
  /** Whether what is at a path may be shown. */
  mayShow(path: string): boolean;
  /** The only folder of transcripts that may be shown, where there is but one: others take no place in a search then. */
  transcripts?: string;
}

/** How far the index is behind. */
export interface IndexAge {
  /** Files that were changed and are not indexed yet. */
  pending: number;
  /** When its files were last compared with the store; null where they never were. */
  comparedAt: number | null;
}

/** The half of a search that compares vectors. */
export interface VectorLeg {
  /** The chunks that are near a query, best first, of which some may be gone. Never rejects: what failed is `degraded`. */
  nearest(query: string, count: number): Promise<VectorAnswer>;
}

export interface VectorAnswer {
  near: readonly NearChunk[];
  /** Who made the query's vector; absent where nobody did. */
  embedder?: NonNullable<SearchAnswer["embedder"]> & Pick<Embedder, "sees">;
  degraded?: Degraded;
}
