import { z } from "zod";
import { address } from "./address-schema.ts";
import { headers } from "./headers-schema.ts";
import { planned } from "./planned.ts";
import { secretRef } from "./secret-ref.ts";

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);
const embedders = ["workers-ai", "openai", "gemini", "voyage", "local", "none"] as const;

const sync = z
  .strictObject({
    onSessionStart: z.boolean().default(true).meta(planned("Looks for changed files when a session begins.")),
    onSearch: z.boolean().default(true).meta(planned("Looks for changed files before a search.")),
    watch: z.boolean().default(true).meta(planned("Indexes a file as soon as a tool or the API has written it.")),
    watchDebounceMs: count.default(1500).meta(planned("How long to wait for more writes, in milliseconds.")),
    intervalMinutes: count.default(0).meta(planned("Minutes between looks for changed files; 0 means none.")),
    sessions: z
      .strictObject({
        deltaBytes: count.default(100_000).meta(planned("New bytes of a transcript after which it is indexed again.")),
        deltaMessages: count.default(50).meta(planned("New messages after which it is.")),
      })
      .prefault({})
      .meta(planned("When transcripts are indexed.")),
  })
  .prefault({})
  .meta(planned("When the index is brought up to date."));

const hybrid = z
  .strictObject({
    enabled: z.boolean().default(true).meta(planned("Whether words count beside meaning.")),
    vectorWeight: share.default(0.7).meta(planned("Weight of meaning.")),
    textWeight: share.default(0.3).meta(planned("Weight of words.")),
    candidateMultiplier: z
      .number()
      .int()
      .min(1)
      .max(20)
      .default(4)
      .meta(planned("Candidates of each kind, as a multiple of maxResults.")),
    mmr: z
      .strictObject({
        enabled: z.boolean().default(true).meta(planned("Whether results that say the same give way.")),
        lambda: share.default(0.7).meta(planned("1 looks at relevance alone, 0 at variety alone.")),
      })
      .prefault({})
      .meta(planned("Variety among results.")),
    temporalDecay: z
      .strictObject({
        enabled: z.boolean().default(false).meta(planned("Whether older daily notes count for less.")),
        halfLifeDays: z.number().positive().default(30).meta(planned("Days after which one counts half.")),
      })
      .prefault({})
      .meta(planned("Age of dated notes.")),
  })
  .prefault({})
  .meta(planned("How meaning and words are put together."));

/** `memorySearch`: what an agent's memory consists of, and how it is searched. */
export const memorySearch = z.strictObject({
  enabled: z.boolean().default(true).meta(planned("Whether the agent can search its memory.")),
  sources: z
    .array(z.enum(["memory", "sessions"]))
    .default(["memory"])
    .meta(planned("What is searched: memory files, and transcripts of its sessions.")),
  extraPaths: z.array(z.string()).default([]).meta(planned("More files and folders of the workspace to search.")),
  provider: z
    .enum(["auto", ...embedders])
    .default("auto")
    .meta(planned("Who makes embeddings; `none`: words alone.")),
  model: z.string().optional().meta(planned("The embedding model; the provider's usual one where absent.")),
  outputDimensionality: z
    .number()
    .int()
    .min(1)
    .max(4096)
    .optional()
    .describe("How many numbers a vector has: of a model that lets one choose, or of one that nothing is known of."),
  fallback: z.enum(embedders).default("none").meta(planned("Who makes embeddings where the provider cannot.")),
  remote: z
    .strictObject({
      baseUrl: address.optional().meta(planned("Where the provider's API begins.")),
      apiKey: secretRef.optional().meta(planned("The provider's key, by the name of its variable.")),
      headers: headers.default({}).meta(planned("Headers that every request carries.")),
      batch: z
        .strictObject({
          enabled: z.boolean().default(true).meta(planned("Whether several texts go into one request.")),
          size: z.number().int().min(1).max(1000).default(64).meta(planned("Most texts of one request.")),
        })
        .prefault({})
        .meta(planned("Texts that are embedded together.")),
    })
    .prefault({})
    .meta(planned("A provider of embeddings elsewhere.")),
  experimental: z
    .strictObject({
      sessionMemory: z.boolean().default(false).meta(planned("Whether transcripts may be a source at all.")),
    })
    .prefault({})
    .meta(planned("What may change.")),
  store: z
    .strictObject({
      vector: z
        .strictObject({ enabled: z.boolean().default(true).meta(planned("Whether vectors are kept.")) })
        .prefault({})
        .meta(planned("Vectors.")),
    })
    .prefault({})
    .meta(planned("Where the index is: in D1, with vectors in Vectorize where it is bound.")),
  chunking: z
    .strictObject({
      tokens: z.number().int().min(50).default(400).meta(planned("About how many tokens a chunk has.")),
      overlap: count.default(80).meta(planned("Tokens that neighbours share.")),
    })
    .prefault({})
    .meta(planned("How files are cut up.")),
  sync,
  query: z
    .strictObject({
      maxResults: z.number().int().min(1).max(50).default(6).meta(planned("Most results of a search.")),
      minScore: share.default(0.35).meta(planned("Least score of a result.")),
      hybrid,
    })
    .prefault({})
    .meta(planned("What a search gives.")),
  cache: z
    .strictObject({
      enabled: z.boolean().default(true).meta(planned("Whether embeddings are kept for the same text.")),
      maxEntries: z.number().int().positive().optional().meta(planned("Most embeddings that are kept.")),
    })
    .prefault({})
    .meta(planned("Embeddings that were made before.")),
});

/** `memory`. */
export const memory = z
  .strictObject({
    citations: z
      .enum(["on", "off", "auto"])
      .default("auto")
      .describe("Whether replies say where in memory something stands: always, never unasked, or where it helps."),
  })
  .prefault({})
  .describe("How agents speak of what they remember.");
