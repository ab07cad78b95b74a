import type { MemorySource } from "../memory-source.ts";

/** The index of one agent, as those who change it know it. */
export interface MemoryIndex {
  database: D1Database;
  agentId: string;
  memoryId: number;
  /** The generation of what is written. */
  generation: number;
}

/** A file that is searched. */
export interface LiveFile {
  id: number;
  path: string;
  source: MemorySource;
  etag: string;
  chunks: number;
  revision: number;
  generation: number;
}

/** A file's other version, of which some chunks are there. */
export interface BuildingFile {
  id: number;
  path: string;
  etag: string;
  /** How many of its chunks are there. */
  chunks: number;
  generation: number;
}

/** A chunk that is to be stored. */
export interface NewChunk {
  startLine: number;
  endLine: number;
  /** SHA-256 of the text, hex. */
  hash: string;
  text: string;
}

/** What is known of a chunk that is there, without its text. */
export interface StoredChunk {
  id: number;
  fileId: number;
  startLine: number;
  hash: string;
}

/** A file of which somebody said that it is another; the token tells one saying from the next. */
export interface Change {
  path: string;
  token: string;
}
