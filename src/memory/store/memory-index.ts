import type { MemorySource } from "../agent-memory.ts";

/** The index of one agent, for writers. */
export interface MemoryIndex {
  database: D1Database;
  agentId: string;
  memoryId: number;
  /** The generation of files that are written now. */
  generation: number;
}

/** A file in the index that is searched. */
export interface LiveFile {
  id: number;
  path: string;
  source: MemorySource;
  etag: string;
  chunks: number;
  revision: number;
  generation: number;
}

/** A new version of a file with some of its chunks written. */
export interface BuildingFile {
  id: number;
  path: string;
  etag: string;
  /** Number of chunks written so far. */
  chunks: number;
  generation: number;
}

/** A chunk to be stored. */
export interface NewChunk {
  startLine: number;
  endLine: number;
  /** SHA-256 of the text, hex. */
  hash: string;
  text: string;
}

/** A stored chunk without its text. */
export interface StoredChunk {
  id: number;
  fileId: number;
  startLine: number;
  hash: string;
}

/** A note that a file was changed; each note of a file has a new token. */
export interface FileNote {
  path: string;
  token: string;
}
