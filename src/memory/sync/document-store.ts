import type { MemorySource } from "../memory-source.ts";

/** A text that a memory is made of, as its store lists it: not read yet. */
export interface Document {
  path: string;
  source: MemorySource;
  /** Another one whenever the text is another; of a transcript, how far it goes. */
  etag: string;
  /** In bytes. */
  size: number;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
}

/** A document that was read. */
export interface DocumentText {
  /** The version that was read, which may be newer than the one that was listed. */
  document: Document;
  /** Well-formed, without a byte order mark; "" where it cannot be searched. */
  text: string;
  /** Why it, or a part of it, cannot be searched: a sentence. */
  warning?: string;
}

/**
 * Where the texts of a memory come from: the workspace is one such store, the agent's transcripts are another. No two
 * cover the same path. Every verb reads only and may be repeated; it rejects where the store does not answer, with a message
 * that may be shown. What there is wrong with a single document is its `warning`.
 */
export interface DocumentStore {
  readonly source: MemorySource;
  /** Whether documents at this path are this store's, be there one or not. */
  covers(path: string): boolean;
  /** All documents, each path once, in few operations: none is read. What was written before the call is in it. */
  list(): Promise<Document[]>;
  /** What is at a path now; undefined where nothing is. */
  stat(path: string): Promise<Document | undefined>;
  /** The newest version of a document; undefined where there is none any more. */
  read(path: string): Promise<DocumentText | undefined>;
}
