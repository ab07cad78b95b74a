import { z } from "zod";
import { askProvider, cutText, type RemoteOptions } from "./ask-provider.ts";
import { type Embedder, EmbedError, type Purpose } from "./embedder.ts";
import { unitVectors } from "./unit-vectors.ts";

/** The API's own limit. */
const MAX_BATCH = 100;

const TASKS: Record<Purpose, string> = { document: "RETRIEVAL_DOCUMENT", query: "RETRIEVAL_QUERY" };

/** Prefixes of texts for models of the second generation, which have no task types. */
const PREFIXES: Record<Purpose, string> = { document: "title: none | text: ", query: "task: search result | query: " };

const embeddings = z.object({ embeddings: z.array(z.object({ values: z.unknown() })) });

/**
 * Gemini's `batchEmbedContents`. Its vectors have length 1 only at the full 3,072 dimensions, so they are normalized
 * here.
 */
export function geminiEmbedder(options: RemoteOptions): Embedder {
  const { dimensions, space } = options;
  const model = options.model.replace(/^models\//, "");
  const provider = "Gemini";
  const hasPrefixes = /^gemini-embedding-2/.test(model);
  return {
    id: "gemini",
    model,
    dimensions,
    space,
    sees: "meaning",
    maxBatch: MAX_BATCH,
    embed: async (texts, purpose, signal) => {
      const requests = texts.map((text) => {
        const cut = cutText(text, options.maxTokens);
        return {
          model: `models/${model}`,
          content: { parts: [{ text: hasPrefixes ? PREFIXES[purpose] + cut : cut }] },
          ...(!hasPrefixes && { taskType: TASKS[purpose] }),
          ...(options.asksDimensions && { outputDimensionality: dimensions }),
        };
      });
      const request = {
        provider,
        url: `${options.baseUrl}/models/${encodeURIComponent(model)}:batchEmbedContents`,
        headers: { ...(options.apiKey && { "x-goog-api-key": options.apiKey }), ...options.headers },
        body: { requests },
      };
      const read = embeddings.safeParse(await askProvider(request, options.fetch, signal));
      if (!read.success) throw new EmbedError("unavailable", `${provider} gave an answer without vectors.`);
      const values = read.data.embeddings.map(({ values }) => values);
      return unitVectors(values, { provider, count: texts.length, dimensions });
    },
  };
}
