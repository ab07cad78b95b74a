import { createRoute, z } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { MEMORY_SOURCES } from "../memory/agent-memory.ts";
import { wholeNumber } from "./query-schema.ts";
import { smallBody } from "./request-body.ts";

/** Longest query, in UTF-16 units. */
const MAX_QUERY_CHARS = 20_000;
/** Room for such a query with every character of it escaped (`\u0000`), and for the other fields. */
const MAX_BODY_BYTES = 6 * MAX_QUERY_CHARS + 4096;

const count = z.int().min(0);
const line = z.int().min(0);
const share = z.number().min(0).max(1);
const source = z.enum(MEMORY_SOURCES).openapi({ description: "Memory files, or transcripts of sessions." });

const reason = z
  .object({
    legs: z
      .enum(["keyword", "vector", "both"])
      .openapi({ description: "Which search found it: keywords, vectors, or both." }),
    keyword: z
      .object({
        rank: z.int(),
        score: z.number(),
        terms: z.array(z.string()).openapi({ description: "Words of the query that the passage has." }),
      })
      .optional(),
    vector: z.object({ rank: z.int(), score: z.number(), similarity: z.number() }).optional(),
    boosts: z.array(z.enum(["path", "phrase"])).openapi({
      description: "What raised it: the query's words in its path, or the query word for word.",
    }),
    decay: z
      .number()
      .optional()
      .openapi({ description: "What age left of its score; absent where age does not count." }),
    repeats: z
      .int()
      .optional()
      .openapi({ description: "How many other passages say the same and are left out for this one." }),
  })
  .openapi("MemoryHitReason");

const hit = z
  .object({
    path: z.string(),
    source,
    startLine: line.openapi({ description: "The first line of `snippet` in the file; 1 is the first of all." }),
    endLine: line.openapi({ description: "The last, inclusive." }),
    score: share,
    snippet: z
      .string()
      .openapi({ description: "The best passage of what was found: whole lines, at most 700 characters." }),
    citation: z.string().openapi({ example: "memory/2026-03-01.md#L3-L9" }),
    reason,
  })
  .openapi("MemoryHit");

const degraded = z.object({
  code: z.enum(["embedder_failed", "vectors_unavailable", "vectors_incomplete", "index_incomplete"]),
  message: z.string(),
});

const found = z
  .object({
    agent: z.string(),
    query: z.string(),
    results: z.array(hit).openapi({ description: "Best first; empty where nothing fits." }),
    mode: z.enum(["hybrid", "keywords"]).openapi({ description: "Keywords and vectors, or keywords alone." }),
    embedder: z.object({ provider: z.string(), model: z.string() }).optional(),
    degraded: degraded.optional().openapi({ description: "Which part of the search failed, and why." }),
    index: z.object({
      files: count,
      chunks: count,
      pending: count.openapi({ description: "Files that are not indexed yet." }),
    }),
    tookMs: count.openapi({ description: "Milliseconds, in the Worker." }),
  })
  .openapi("MemoryResults");

const passage = z
  .object({
    path: z.string(),
    source,
    text: z.string(),
    startLine: line.openapi({ description: "1 is the first line; 0 where the passage is empty." }),
    endLine: line,
    totalLines: count,
    isCut: z.boolean().optional().openapi({ description: "One line alone was too long: this is its beginning." }),
    next: z.int().optional().openapi({ description: "The line to go on with, as `from`; absent at the end." }),
  })
  .openapi("MemoryPassage");

const space = z.object({ space: z.string().openapi({ example: "local/hash-1/512" }), vectors: count }).nullable();

const status = z
  .object({
    enabled: z.boolean(),
    sources: z.array(source).readonly(),
    files: count,
    chunks: count,
    pending: count.openapi({ description: "Files that were changed and are not indexed yet." }),
    complete: z.boolean().openapi({ description: "Whether all known files are indexed." }),
    busy: z.boolean().openapi({ description: "Whether indexing is in progress." }),
    comparedAt: z.int().nullable().openapi({
      description: "When it was last compared with the files, whole; milliseconds since the epoch.",
    }),
    warnings: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .openapi({ description: "Files that cannot be searched, or not whole." }),
    embedder: z.object({
      requested: z.string().openapi({ description: "As configured." }),
      provider: z.string().nullable().openapi({ description: "The provider in use; null for keywords alone." }),
      model: z.string().nullable(),
      why: z.string(),
    }),
    vectors: z.object({
      store: z.enum(["d1", "vectorize"]).nullable(),
      unavailable: z
        .object({ reason: z.string(), fix: z.string() })
        .optional()
        .openapi({ description: "Why no store can search the vectors of this memory, so that words alone answer." }),
      ready: space.openapi({ description: "The set of vectors that answers." }),
      building: space.openapi({ description: "The set that will replace it." }),
    }),
    failure: z.object({ message: z.string(), at: z.int() }).nullable(),
  })
  .openapi("MemoryStatus");

export type MemoryResults = z.infer<typeof found>;
export type MemoryPassage = z.infer<typeof passage>;
export type MemoryStatus = z.infer<typeof status>;

const params = z.object({ id: z.string().openapi({ description: "The agent's id." }) });
const noQuery = z.strictObject({});
const json = <Schema extends z.ZodType>(schema: Schema) => ({ "application/json": { schema } });

/** `POST /v1/agents/{id}/memory/search`. */
export const searchRoute = createRoute({
  method: "post",
  path: "/agents/{id}/memory/search",
  summary: "Search an agent's memory",
  description: "`degraded` names the parts that could not be searched; the rest is searched.",
  middleware: bodyLimit({ maxSize: MAX_BODY_BYTES }),
  request: {
    params,
    query: noQuery,
    body: {
      content: json(
        z.strictObject({
          query: z.string().min(1).max(MAX_QUERY_CHARS),
          maxResults: z.int().min(1).max(50).optional().openapi({ description: "The configuration's where absent." }),
          minScore: share.optional().openapi({ description: "The configuration's where absent." }),
          sources: z
            .array(z.enum(MEMORY_SOURCES))
            .min(1)
            .optional()
            .openapi({ description: "What may be looked in; what the configuration leaves out stays out." }),
        }),
      ),
    },
  },
  responses: { 200: { description: "What was found", content: json(found) } },
});

/** `GET /v1/agents/{id}/memory/file`. */
export const passageRoute = createRoute({
  method: "get",
  path: "/agents/{id}/memory/file",
  summary: "Lines of a memory file, or of a transcript",
  request: {
    params,
    query: z.strictObject({
      path: z.string().min(1).openapi({ description: "As in a search's results." }),
      from: wholeNumber({ min: 1 }).optional().openapi({ description: "The first line; 1 where absent." }),
      lines: wholeNumber({ min: 1 }).optional().openapi({ description: "How many; the configuration's where absent." }),
    }),
  },
  responses: { 200: { description: "The lines", content: json(passage) } },
});

/** `POST /v1/agents/{id}/memory/index`. */
export const indexRoute = createRoute({
  method: "post",
  path: "/agents/{id}/memory/index",
  summary: "Update the index of an agent's memory",
  description: "Works for up to 20 seconds; the rest continues in the background, and the answer is `202`.",
  middleware: smallBody,
  request: {
    params,
    query: noQuery,
    body: {
      required: false,
      content: json(
        z.strictObject({
          force: z.boolean().default(false).openapi({ description: "Index all files again." }),
        }),
      ),
    },
  },
  responses: {
    200: { description: "It is up to date", content: json(status) },
    202: { description: "Indexing continues; the status says when it is complete", content: json(status) },
  },
});

/** `GET /v1/agents/{id}/memory/status`. */
export const statusRoute = createRoute({
  method: "get",
  path: "/agents/{id}/memory/status",
  summary: "The status of an agent's memory",
  request: { params, query: noQuery },
  responses: { 200: { description: "The status", content: json(status) } },
});
