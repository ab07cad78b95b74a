import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

// Everything in this database is derived: from files in R2, from transcripts, and from a provider's embeddings. Beside
// these tables stand `chunk_terms` (FTS5: one row a chunk, under the chunk's id) and `chunk_vocab` (its fts5vocab), which
// drizzle has no words for; they are in the first migration.

/** One row an agent: the state of its index. */
export const meta = sqliteTable("meta", {
  /** Begins every term of this agent in `chunk_terms`, so that its searches read no other agent's rows. */
  id: integer().primaryKey({ autoIncrement: true }),
  agentId: text("agent_id").notNull().unique(),
  /** The settings that chunks are made with; other ones mean that all files are read anew. */
  settings: text(),
  /** Counts how often all files were to be read anew; a file of an earlier generation waits to be. */
  generation: integer().notNull().default(1),
  /** How many files and chunks are live: kept here, because counting them would read them all. */
  files: integer().notNull().default(0),
  chunks: integer().notNull().default(0),
  /** How many files the last comparison found to be indexed, and were not yet. */
  pending: integer().notNull().default(0),
  /** When its files were last compared with the store, whole. */
  comparedAt: integer("compared_at"),
  /** Until when somebody brings it up to date; past or null where nobody does. */
  leasedUntil: integer("leased_until"),
  /** What last kept it from being brought up to date, a sentence; null once that worked. */
  failure: text(),
  failedAt: integer("failed_at"),
});

/**
 * The files that are indexed. A change of few chunks is made to the `live` row of a path, in one transaction. One of many
 * makes another row: it is `building` while its chunks are written, then takes the place of the live one in one transaction;
 * what it replaces is `dead` until its chunks are cleared away. Searches see live ones only.
 */
export const files = sqliteTable(
  "files",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    memoryId: integer("memory_id").notNull(),
    path: text().notNull(),
    source: text().$type<"memory" | "sessions">().notNull(),
    /** The store's etag; of a transcript, how far it was read. */
    etag: text().notNull(),
    /** In bytes. */
    size: integer().notNull(),
    modifiedAt: integer("modified_at").notNull(),
    state: text().$type<"building" | "live" | "dead">().notNull(),
    /** How many chunks it has; while it is building, how many of them are there already. */
    chunks: integer().notNull(),
    /** Counts the changes of this row: who changes it names the one that he saw. */
    revision: integer().notNull().default(1),
    /** That of the memory when its chunks were made. */
    generation: integer().notNull(),
    /** Why it, or a part of it, cannot be searched: a sentence. */
    warning: text(),
    indexedAt: integer("indexed_at").notNull(),
  },
  (table) => [
    uniqueIndex("files_live").on(table.memoryId, table.path).where(sql`state = 'live'`),
    index("files_by_state").on(table.memoryId, table.state),
    index("files_warned").on(table.memoryId).where(sql`state = 'live' AND warning IS NOT NULL`),
  ],
);

/** Pieces of files, as they are searched. A chunk never changes; a changed piece is another chunk. */
export const chunks = sqliteTable(
  "chunks",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    fileId: integer("file_id").notNull(),
    /** 1 is the first line of the file. */
    startLine: integer("start_line").notNull(),
    /** The last line of it, inclusive. */
    endLine: integer("end_line").notNull(),
    /** SHA-256 of the text, hex. */
    hash: text().notNull(),
    text: text().notNull(),
  },
  (table) => [index("chunks_by_file").on(table.fileId)],
);

/** Chunks that were taken out of live files, and whose vectors may be there still. */
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

/** Files that were written and not indexed since. */
export const changes = sqliteTable(
  "changes",
  {
    agentId: text("agent_id").notNull(),
    path: text().notNull(),
    /** Another one with each write: who has indexed an older one leaves the row. */
    token: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.path] })],
);

/** Sets of vectors that can be compared: those of one agent by one model. */
export const spaces = sqliteTable(
  "spaces",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    memoryId: integer("memory_id").notNull(),
    /** `provider/model/dimensions`. */
    key: text().notNull(),
    dimensions: integer().notNull(),
    /** Where its vectors are searched. */
    store: text().$type<"d1" | "vectorize">().notNull(),
    /** A `building` one becomes `ready` when every live chunk has a vector; one that is `leaving` is cleared away. */
    state: text().$type<"building" | "ready" | "leaving">().notNull(),
    /** Every live chunk up to this one has its vector. */
    filledThrough: integer("filled_through").notNull().default(0),
    /** Why it could not be filled the last time, a sentence; null once that worked. */
    failure: text(),
    failedAt: integer("failed_at"),
    /** Since when it fails each time. */
    failingSince: integer("failing_since"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("spaces_by_memory").on(table.memoryId, table.state)],
);

/** The vector of a chunk in a space. */
export const vectors = sqliteTable(
  "vectors",
  {
    spaceId: integer("space_id").notNull(),
    chunkId: integer("chunk_id").notNull(),
    /** The pack that holds it too; null where none does yet. */
    packId: integer("pack_id"),
    /** A quantized vector, in base64: D1 gives bytes back as a list of numbers. Empty where Vectorize has it. */
    embedding: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.spaceId, table.chunkId] }),
    index("vectors_unpacked").on(table.spaceId, table.chunkId).where(sql`pack_id is null and embedding <> ''`),
  ],
);

/** Many vectors of a space in one row. What a pack holds never changes; which of it is no more is noted beside it. */
export const packs = sqliteTable(
  "packs",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    spaceId: integer("space_id").notNull(),
    count: integer().notNull(),
    /** The ids of chunks that it holds and that are gone, or have another vector now: a list in JSON. */
    gone: text().notNull().default("[]"),
    /** The chunks' ids, 32 bits each, in base64. */
    ids: text().notNull(),
    /** One bit a dimension: its sign. In base64. */
    codes: text().notNull(),
    /** The quantized vectors, in base64. */
    vectors: text().notNull(),
  },
  (table) => [index("packs_by_space").on(table.spaceId)],
);

/** Embeddings that were made before, by what made them and of what. */
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
