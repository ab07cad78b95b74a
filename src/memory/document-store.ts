import type { MemorySource } from "./agent-memory.ts";

/** A text of a memory, listed but not read. */
export interface Document {
  path: string;
  source: MemorySource;
  /** Changes with the text; for a transcript, how far it goes. */
  etag: string;
  /** In bytes. */
  size: number;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
}

/** A document with its text. */
export interface DocumentText {
  /** The version that was read; it may be newer than the listed one. */
  document: Document;
  /** Well-formed, without a byte order mark; "" if it cannot be searched. */
  text: string;
  /** Why the document or a part of it cannot be searched, a sentence. */
  warning?: string;
}

/**
 * A source of a memory's texts: the workspace, or the agent's transcripts. No two stores cover the same path. Methods
 * only read and may be repeated. They reject with a message for people if the store does not answer; a problem of one
 * document is its `warning`.
 */
export interface DocumentStore {
  readonly source: MemorySource;
  /** Whether a path belongs to this store, whether or not there is a document. */
  covers(path: string): boolean;
  /** All documents, each path once, without reading them. Includes every write that ended before the call. */
  list(): Promise<Document[]>;
  /** The document at a path now; undefined if there is none. */
  stat(path: string): Promise<Document | undefined>;
  /** The newest version of a document; undefined if it no longer exists. */
  read(path: string): Promise<DocumentText | undefined>;
}
