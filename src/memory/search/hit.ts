import type { MemorySource } from "../memory-source.ts";

/** A chunk that a leg of the search has found. */
export interface Candidate {
  chunkId: number;
  path: string;
  source: MemorySource;
  /** 1 is the first line of the file. */
  startLine: number;
  /** The text of the chunk; its lines begin at `startLine`. */
  text: string;
  /** Its place among those that share words with the query: 1 is the best; `bm25` is positive, larger is better. */
  keyword?: { rank: number; bm25: number };
  /** Its place among those that are near; cosine. */
  vector?: { rank: number; similarity: number };
}

/** A passage that a search gives. */
export interface Hit {
  path: string;
  source: MemorySource;
  /** The first and the last line of `snippet` in the file, inclusive. */
  startLine: number;
  endLine: number;
  /** 0 to 1. */
  score: number;
  /** Whole lines, or a part of one line that is longer than a snippet may be. */
  snippet: string;
  /** `path#L3-L9`, or `path#L3`. */
  citation: string;
  reason: HitReason;
}

/** Why a passage is among the results. */
export interface HitReason {
  /** Which legs of the search found its chunk. */
  legs: "keyword" | "vector" | "both";
  keyword?: {
    rank: number;
    score: number /** Words of the query that the passage has, as the query spells them. */;
    terms: string[];
  };
  vector?: { rank: number; score: number; similarity: number };
  /** What raised it: the query's words in its path, or the query word for word. */
  boosts: ("path" | "phrase")[];
  /** What age left of its score, 0 to 1; absent where age does not count. */
  decay?: number;
}
