import type { MemorySource } from "./memory-source.ts";
import type { Hit } from "./search/hit.ts";

/**
 * One agent's memory, as tools and routes see it. Reading verbs throw a `MemoryError` alone; what an index or a provider
 * cannot do is told in the answer (`degraded`), never thrown.
 */
export interface AgentMemory {
  /** @throws MemoryError `unavailable` where the index does not answer at all */
  search(request: SearchRequest): Promise<SearchAnswer>;
  /** Lines of a memory file or a transcript. @throws MemoryError `bad_path`, `not_found`, `not_text`, `unavailable` */
  read(request: ReadRequest): Promise<MemoryPassage>;
  status(): Promise<MemoryStatus>;
  /**
   * Brings the index up to date as far as `budgetMs` lets it, and leaves the rest to the queue.
   * @param force all files are read and cut anew
   * @param fruitless how often in a row nothing could be done of what was left
   * @throws MemoryError `disabled`, `unavailable`
   */
  index(options: { force: boolean; budgetMs: number; fruitless?: number }): Promise<MemoryStatus>;
}

export interface SearchRequest {
  query: string;
  /** The configuration's where absent. */
  maxResults?: number | undefined;
  minScore?: number | undefined;
  /** What may be looked in at most; what the configuration leaves out stays out. */
  sources?: readonly MemorySource[] | undefined;
}

export interface SearchAnswer {
  /** Best first. */
  results: Hit[];
  /** `hybrid`: words and vectors; `keywords`: words alone. */
  mode: "hybrid" | "keywords";
  /** Who made the query's vector; absent where there is none. */
  embedder?: { provider: string; model: string };
  /** What the search had to do without, and why. */
  degraded?: Degraded;
  index: { files: number; chunks: number /** Files that wait to be indexed. */; pending: number };
}

export interface Degraded {
  code: "embedder_failed" | "vectors_unavailable" | "vectors_incomplete" | "index_incomplete";
  /** A sentence that may be shown. */
  message: string;
}

export interface ReadRequest {
  path: string;
  /** The first line, from 1. */
  from?: number | undefined;
  lines?: number | undefined;
}

export interface MemoryPassage {
  path: string;
  source: MemorySource;
  text: string;
  /** 0 where the passage is empty. */
  startLine: number;
  endLine: number;
  totalLines: number;
  /** There where one line alone is longer than what is given at once: then `text` is the beginning of it. */
  isCut?: boolean;
  /** Where to go on reading; absent at the end. */
  next?: number;
}

export interface MemoryStatus {
  enabled: boolean;
  sources: readonly MemorySource[];
  files: number;
  chunks: number;
  /** Files that were changed and are not indexed yet. */
  pending: number;
  /** Whether nothing is left to do, as far as is known: every file is indexed, and every chunk has its vector. */
  complete: boolean;
  /** Whether somebody is bringing it up to date now. */
  busy: boolean;
  comparedAt: number | null;
  /** Files that cannot be searched, or not whole, each with the reason. */
  warnings: { path: string; message: string }[];
  embedder: {
    /** As configured. */
    requested: string;
    /** Who that is here; null where there are words alone. */
    provider: string | null;
    model: string | null;
    /** Why it is who it is. */
    why: string;
  };
  vectors: {
    store: "d1" | "vectorize" | null;
    /** Chunks with a vector, in the set that answers, and in the one that is being made to take its place. */
    ready: { space: string; vectors: number } | null;
    building: { space: string; vectors: number } | null;
  };
  failure: { message: string; at: number } | null;
}

export type MemoryErrorCode = "bad_path" | "not_found" | "not_text" | "unavailable" | "disabled";

/** The closed set of ways in which a memory says no. */
export class MemoryError extends Error {
  readonly code: MemoryErrorCode;

  constructor(code: MemoryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MemoryError";
    this.code = code;
  }
}
