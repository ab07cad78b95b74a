import { z } from "zod";
import { agentMayWrite } from "./field-marks.ts";
import { address, headers, secretRef } from "./secret-ref.ts";

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);
const embedders = ["workers-ai", "openai", "gemini", "voyage", "local", "none"] as const;

const sync = z
  .strictObject({
    onSessionStart: z.boolean().default(true).describe("Whether a new session checks for changed files."),
    onSearch: z
      .boolean()
      .default(true)
      .describe("Whether a search indexes what was just written, and checks for changed files once a minute."),
    watch: z
      .boolean()
      .default(true)
      .describe(
        "Whether a file is indexed as soon as a tool or the API has written it, and not only when all are looked at.",
      ),
    watchDebounceMs: count
      .default(1500)
      .describe("How long to wait for more writes before files are indexed, in milliseconds; searches do not wait."),
    intervalMinutes: count.default(0).describe("Minutes between checks for changed files; 0 means none."),
    sessions: z
      .strictObject({
        deltaBytes: count.default(100_000).describe("New bytes of a transcript after which it is indexed again."),
        deltaMessages: count.default(50).describe("New messages after which it is."),
      })
      .prefault({})
      .describe("When transcripts are indexed."),
  })
  .prefault({})
  .describe("When the index is brought up to date.");

const hybrid = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe("Whether keyword and vector search are combined; if not, vectors alone where there is an embedder."),
    vectorWeight: share.default(0.7).describe("Weight of vector similarity."),
    textWeight: share.default(0.3).describe("Weight of keyword matches."),
    candidateMultiplier: z
      .number()
      .int()
      .min(1)
      .max(20)
      .default(4)
      .describe("Candidates of each kind, as a multiple of maxResults."),
    mmr: z
      .strictObject({
        enabled: z.boolean().default(true).describe("Whether near-duplicate results are dropped."),
        lambda: share.default(0.7).describe("1 ranks by relevance alone, 0 by variety alone."),
      })
      .prefault({})
      .describe("Variety among results."),
    temporalDecay: z
      .strictObject({
        enabled: z.boolean().default(false).describe("Whether older daily notes count for less."),
        halfLifeDays: z.number().positive().default(30).describe("Days after which one counts half."),
      })
      .prefault({})
      .describe("Age of dated notes; other files do not age."),
  })
  .prefault({})
  .describe("How vector and keyword search are combined.");

const remote = z
  .strictObject({
    baseUrl: address
      .optional()
      .describe(
        "Where the provider's API begins; with `auto`, a server with OpenAI's API. It receives no other key than `apiKey`.",
      ),
    apiKey: secretRef
      .optional()
      .describe(
        "The provider's key, by the name of its variable; absent: OPENAI_API_KEY, GEMINI_API_KEY or GOOGLE_API_KEY, VOYAGE_API_KEY.",
      ),
    headers: headers
      .default({})
      .describe(
        "Headers that every request carries; a secret among them by its name. `auto` without baseUrl sends none.",
      ),
    batch: z
      .strictObject({
        enabled: z.boolean().default(true).describe("Whether several texts go into one request."),
        size: z
          .number()
          .int()
          .min(1)
          .max(1000)
          .default(64)
          .describe("Most texts of one request; the provider's own limit where that is lower."),
      })
      .prefault({})
      .describe("Texts that are embedded together."),
  })
  .prefault({})
  .describe("Where and how the provider is asked: `provider`, or `fallback` where that one has no address.");

/** `memorySearch`: what an agent's memory consists of, and how it is searched. */
export const memorySearch = z.strictObject({
  enabled: z.boolean().default(true).describe("Whether there is an index of memory, and the agent can search it."),
  sources: z
    .array(z.enum(["memory", "sessions"]))
    .default(["memory"])
    .describe("What is searched: memory files, and transcripts of its sessions."),
  extraPaths: z.array(z.string()).default([]).describe("More files and folders of the workspace to search."),
  provider: z
    .enum(["auto", ...embedders])
    .default("auto")
    .describe(
      "The provider of embeddings, which receives the texts of memory. `auto`: Workers AI where it is bound, else openai, gemini or voyage where its key is set, else `local`, which compares letters and asks nobody; `none`: words alone.",
    ),
  model: z
    .string()
    .min(1)
    .optional()
    .describe("The embedding model; the provider's usual one where absent. Changing it embeds all of memory again."),
  outputDimensionality: z
    .number()
    .int()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      "How many numbers a vector has: of a model that lets one choose, 1024 where absent, or of one that nothing is known of.",
    ),
  fallback: z
    .enum(embedders)
    .default("none")
    .describe("The provider of embeddings that is used when the first one fails, with its default model."),
  remote,
  experimental: z
    .strictObject({
      sessionMemory: z.boolean().default(false).describe("Whether transcripts may be a source at all."),
    })
    .prefault({})
    .describe("What may change."),
  store: z
    .strictObject({
      vector: z
        .strictObject({
          enabled: z
            .boolean()
            .default(true)
            .describe("Whether there are vectors; without them, search is by keywords alone."),
        })
        .prefault({})
        .describe("Vectors."),
    })
    .prefault({})
    .describe("Where the index is: in D1, with vectors in Vectorize where it is bound."),
  chunking: z
    .strictObject({
      tokens: z.number().int().min(50).default(400).describe("About how many tokens a chunk has."),
      overlap: count.default(80).describe("Tokens that neighbours share."),
    })
    .prefault({})
    .describe("How files are cut up."),
  sync,
  query: z
    .strictObject({
      maxResults: z.number().int().min(1).max(50).default(6).describe("Most results of a search."),
      minScore: share
        .default(0.35)
        .describe("Lowest score of a result; at most textWeight for one that keywords alone found."),
      hybrid,
    })
    .prefault({})
    .describe("What a search gives."),
  cache: z
    .strictObject({
      enabled: z.boolean().default(true).describe("Whether embeddings are kept for the same text."),
      maxEntries: z
        .number()
        .int()
        .positive()
        .optional()
        .describe("About how many are kept, of all agents; 50,000 where absent. The least recently used are removed."),
    })
    .prefault({})
    .describe("The cache of embeddings, so that none is paid for twice."),
});

/** `memory`. */
export const memory = z
  .strictObject({
    citations: z
      .enum(["on", "off", "auto"])
      .default("auto")
      .meta(agentMayWrite("Whether replies cite memory: always, only on request, or where it helps.")),
  })
  .prefault({})
  .describe("How agents use their memory in replies.");
