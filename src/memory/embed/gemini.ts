import { z } from "zod";
import { askProvider, type RemoteOptions } from "./ask-provider.ts";
import { cutText } from "./cut-text.ts";
import { type Embedder, EmbedError, type Purpose } from "./embedder.ts";
import { unitVectors } from "./unit-vectors.ts";

/** The API's own limit. */
const MAX_BATCH = 100;

const TASKS: Record<Purpose, string> = { document: "RETRIEVAL_DOCUMENT", query: "RETRIEVAL_QUERY" };

/** What stands before a text for models of the second generation, which know no task types. */
const PREFIXES: Record<Purpose, string> = { document: "title: none | text: ", query: "task: search result | query: " };

const embeddings = z.object({ embeddings: z.array(z.object({ values: z.unknown() })) });

/**
 * Gemini's `batchEmbedContents`. What it gives is of length 1 only at its full 3,072 dimensions, so that the vectors are
 * brought to that here.
 */
export function geminiEmbedder(options: RemoteOptions): Embedder {
  const { dimensions, space } = options;
  const model = options.model.replace(/^models\//, "");
  const who = "Gemini";
  const prefixes = /^gemini-embedding-2/.test(model);
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
          content: { parts: [{ text: prefixes ? PREFIXES[purpose] + cut : cut }] },
          ...(!prefixes && { taskType: TASKS[purpose] }),
          ...(options.asksDimensions && { outputDimensionality: dimensions }),
        };
      });
      const request = {
        who,
        url: `${options.baseUrl}/models/${encodeURIComponent(model)}:batchEmbedContents`,
        headers: { ...(options.apiKey && { "x-goog-api-key": options.apiKey }), ...options.headers },
        body: { requests },
      };
      const read = embeddings.safeParse(await askProvider(request, options.fetch, signal));
      if (!read.success) throw new EmbedError("unavailable", `${who} gave an answer without vectors.`);
      const given = read.data.embeddings.map(({ values }) => values);
      return unitVectors(given, { who, count: texts.length, dimensions });
    },
  };
}
