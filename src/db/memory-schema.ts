import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

// Everything in this database is derived from files in R2, transcripts and a provider's embeddings. The tables
// `chunk_terms` (FTS5, a row for each chunk with the chunk's id) and `chunk_vocab` (its fts5vocab) are only in the
// first migration: drizzle cannot describe them.

/** The state of an agent's index, one row for each agent. */
export const meta = sqliteTable("meta", {
  /** Prefix of the agent's terms in `chunk_terms`, so that its searches read no other agent's rows. */
  id: integer().primaryKey({ autoIncrement: true }),
  agentId: text("agent_id").notNull().unique(),
  /** The settings that chunks are made with; if they change, all files are indexed again. */
  settings: text(),
  /** Counts how often all files had to be indexed again. Files of an earlier generation are not up to date. */
  generation: integer().notNull().default(1),
  /** Numbers of live files and chunks; counting them would read all rows. */
  files: integer().notNull().default(0),
  chunks: integer().notNull().default(0),
  /** Files that the last comparison left to be indexed. */
  pending: integer().notNull().default(0),
  /** When all files were last compared with their stores. */
  comparedAt: integer("compared_at"),
  /** End of the current lease to update the index; past or null if there is none. */
  leasedUntil: integer("leased_until"),
  /** Why the last update failed, a sentence; null after a successful one. */
  failure: text(),
  failedAt: integer("failed_at"),
});

/**
 * Versions of indexed files. A small change updates the `live` row of a path in one transaction. A large change adds
 * another row that is `building` while its chunks are written and then replaces the live one in one transaction; the
 * replaced one is `dead` until its chunks are deleted. Searches see live versions only.
 */
export const files = sqliteTable(
  "files",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    memoryId: integer("memory_id").notNull(),
    path: text().notNull(),
    source: text().$type<"memory" | "sessions">().notNull(),
    /** The store's etag; for a transcript, how far it was read. */
    etag: text().notNull(),
    /** In bytes. */
    size: integer().notNull(),
    modifiedAt: integer("modified_at").notNull(),
    state: text().$type<"building" | "live" | "dead">().notNull(),
    /** Number of chunks; while it is building, of those already written. */
    chunks: integer().notNull(),
    /** Counts the changes of this row; a writer names the revision that it has read. */
    revision: integer().notNull().default(1),
    /** The generation of the index when its chunks were made. */
    generation: integer().notNull(),
    /** Why the file or a part of it cannot be searched, a sentence. */
    warning: text(),
    indexedAt: integer("indexed_at").notNull(),
  },
  (table) => [
    uniqueIndex("files_live").on(table.memoryId, table.path).where(sql`state = 'live'`),
    index("files_by_state").on(table.memoryId, table.state),
    index("files_warned").on(table.memoryId).where(sql`state = 'live' AND warning IS NOT NULL`),
  ],
);

/** Pieces of files that are searched. A chunk never changes: a changed piece is a new chunk. */
export const chunks = sqliteTable(
  "chunks",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    fileId: integer("file_id").notNull(),
    /** 1 is the first line of the file. */
    startLine: integer("start_line").notNull(),
    /** The last line, inclusive. */
    endLine: integer("end_line").notNull(),
    /** SHA-256 of the text, hex. */
    hash: text().notNull(),
    text: text().notNull(),
  },
  (table) => [index("chunks_by_file").on(table.fileId)],
);

/** Chunks deleted from live files whose vectors may still exist. */
export const gone = sqliteTable(
  "gone",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    memoryId: integer("memory_id").notNull(),
    /** A JSON list. */
    chunkIds: text("chunk_ids").notNull(),
  },
  (table) => [index("gone_by_memory").on(table.memoryId)],
);

/** Files that were written and are not indexed yet. */
export const changes = sqliteTable(
  "changes",
  {
    agentId: text("agent_id").notNull(),
    path: text().notNull(),
    /** New with each write; indexing an older write does not delete the row. */
    token: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.path] })],
);

/** Sets of comparable vectors: one agent's, by one model, in one store. */
export const spaces = sqliteTable(
  "spaces",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    memoryId: integer("memory_id").notNull(),
    /** `provider/model/dimensions`. */
    key: text().notNull(),
    dimensions: integer().notNull(),
    /** Where its vectors are stored and searched. */
    store: text().$type<"d1" | "vectorize">().notNull(),
    /** A `building` space becomes `ready` when every live chunk has a vector; a `leaving` one is being deleted. */
    state: text().$type<"building" | "ready" | "leaving">().notNull(),
    /** Every live chunk up to this id has its vector. */
    filledThrough: integer("filled_through").notNull().default(0),
    /** Why it could not be filled the last time, a sentence; null after a success. */
    failure: text(),
    failedAt: integer("failed_at"),
    /** Since when each attempt fails. */
    failingSince: integer("failing_since"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("spaces_by_memory").on(table.memoryId, table.state)],
);

/** The chunks that have a vector in a space. The vector itself is in a pack or in Vectorize. */
export const vectors = sqliteTable(
  "vectors",
  {
    spaceId: integer("space_id").notNull(),
    chunkId: integer("chunk_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.spaceId, table.chunkId] })],
);

/** Vectors of a space in D1, many in one row. */
export const packs = sqliteTable(
  "packs",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    spaceId: integer("space_id").notNull(),
    /** Counts the changes of this row: a writer that has seen an older one starts over. */
    revision: integer().notNull(),
    /** How many vectors it has. */
    count: integer().notNull(),
    /** The chunks' ids, 32 bits each, in base64. */
    ids: text().notNull(),
    /** The quantized vectors in the order of `ids`, in base64: D1 returns bytes as a list of numbers. */
    vectors: text().notNull(),
  },
  (table) => [index("packs_by_space").on(table.spaceId)],
);

/** Embeddings by the model that made them and the hash of the text. */
export const embeddingCache = sqliteTable(
  "embedding_cache",
  {
    /** `provider/model/dimensions`. */
    space: text().notNull(),
    /** SHA-256 of the text, hex. */
    hash: text().notNull(),
    /** A quantized vector, in base64. */
    embedding: text().notNull(),
    usedAt: integer("used_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.hash, table.space] }), index("embedding_cache_by_use").on(table.usedAt)],
);
