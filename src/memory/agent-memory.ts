/** The sources of a search: memory files, or transcripts of sessions. */
export const MEMORY_SOURCES = ["memory", "sessions"] as const;
export type MemorySource = (typeof MEMORY_SOURCES)[number];

/**
 * One agent's memory, the contract for tools and routes. Methods throw only `MemoryError`; what a search had to do
 * without is `degraded` in its answer.
 */
export interface AgentMemory {
  /** @throws MemoryError `unavailable` if the index does not answer */
  search(request: SearchRequest): Promise<SearchAnswer>;
  /**
   * Reads lines of a memory file or a transcript. @throws MemoryError `bad_path`, `not_found`, `not_text`,
   * `unavailable`
   */
  read(request: ReadRequest): Promise<MemoryPassage>;
  status(): Promise<MemoryStatus>;
  /**
   * Updates the index within `budgetMs` and leaves the rest to the queue.
   * @param force index all files again
   * @param fruitless how many calls in a row made no progress
   * @throws MemoryError `disabled`, `unavailable`
   */
  index(options: { force: boolean; budgetMs: number; fruitless?: number }): Promise<MemoryStatus>;
}

export interface SearchRequest {
  query: string;
  /** Default: the configuration. */
  maxResults?: number | undefined;
  minScore?: number | undefined;
  /** Narrows the sources of the configuration. */
  sources?: readonly MemorySource[] | undefined;
}

/** A result of a search. */
export interface Hit {
  path: string;
  source: MemorySource;
  /** First and last line of `snippet` in the file, inclusive. */
  startLine: number;
  endLine: number;
  /** 0 to 1. */
  score: number;
  /** Whole lines, or a part of a line that is longer than a snippet. */
  snippet: string;
  /** `path#L3-L9`, or `path#L3`. */
  citation: string;
  reason: HitReason;
}

/** Why a passage is a result. */
export interface HitReason {
  /** What found its chunk: words (`keyword`), its vector, or both. */
  legs: "keyword" | "vector" | "both";
  keyword?: {
    rank: number;
    score: number /** Words of the query in the passage, spelled as in the query. */;
    terms: string[];
  };
  vector?: { rank: number; score: number; similarity: number };
  /** What raised its score: the query's words in its path, or the exact query. */
  boosts: ("path" | "phrase")[];
  /** The factor for its age, 0 to 1; absent if age does not count. */
  decay?: number;
  /** How many other passages say the same and are left out for this one; absent for none. */
  repeats?: number;
}

export interface SearchAnswer {
  /** Best first. */
  results: Hit[];
  /** `hybrid`: words and vectors; `keywords`: words only. */
  mode: "hybrid" | "keywords";
  /** The embedder of the query's vector; absent if there is none. */
  embedder?: { provider: string; model: string };
  /** What the search had to do without and why. */
  degraded?: Degraded;
  index: { files: number; chunks: number /** Files that are not up to date in the index. */; pending: number };
}

export interface Degraded {
  code: "embedder_failed" | "vectors_unavailable" | "vectors_incomplete" | "index_incomplete";
  /** A sentence for people. */
  message: string;
}

export interface ReadRequest {
  path: string;
  /** First line, from 1. */
  from?: number | undefined;
  lines?: number | undefined;
}

export interface MemoryPassage {
  path: string;
  source: MemorySource;
  text: string;
  /** 0 if the passage is empty. */
  startLine: number;
  endLine: number;
  totalLines: number;
  /** Set if a single line is too long: `text` is its beginning. */
  isCut?: boolean;
  /** The next line to read; absent at the end. */
  next?: number;
}

export interface MemoryStatus {
  enabled: boolean;
  sources: readonly MemorySource[];
  files: number;
  chunks: number;
  /** Changed files that are not indexed yet. */
  pending: number;
  /** Whether no work is known to be left: every file is indexed and every chunk has its vector. */
  complete: boolean;
  /** Whether an update is running. */
  busy: boolean;
  comparedAt: number | null;
  /** Files that cannot be searched, or only in part, with the reason. */
  warnings: { path: string; message: string }[];
  embedder: {
    /** As configured. */
    requested: string;
    /** The embedder in use; null if only words are searched. */
    provider: string | null;
    model: string | null;
    /** Why this embedder and this store are used. */
    why: string;
  };
  vectors: {
    store: "d1" | "vectorize" | null;
    /** Set if no store can search the vectors of this memory, so that words alone answer. */
    unavailable?: { reason: string; fix: string };
    /** Vectors of the space that answers and of the one that is being built to replace it. */
    ready: { space: string; vectors: number } | null;
    building: { space: string; vectors: number } | null;
  };
  failure: { message: string; at: number } | null;
}

export type MemoryErrorCode = "bad_path" | "not_found" | "not_text" | "unavailable" | "disabled";

/** The error of a memory; `code` is a closed set. */
export class MemoryError extends Error {
  readonly code: MemoryErrorCode;

  constructor(code: MemoryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MemoryError";
    this.code = code;
  }
}

/** Which part of a memory a caller may see. */
export interface Visibility {
  /** Whether the document at a path may be shown. */
  mayShow(path: string): boolean;
  /** The only folder of transcripts that may be shown, if there is just one; a search then looks in no other. */
  transcripts?: string;
}
