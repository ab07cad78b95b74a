import { askProvider, type RemoteOptions } from "./ask-provider.ts";
import type { Embedder } from "./embedder.ts";
import { numberedVectors } from "./unit-vectors.ts";

/** Voyage accepts 1,000 texts, and 120,000 tokens for its largest models. */
const MAX_BATCH = 256;

/** Voyage AI's `POST /embeddings`. It distinguishes documents from queries and cuts long texts itself. */
export function voyageEmbedder(options: RemoteOptions): Embedder {
  const { model, dimensions, space } = options;
  const provider = "Voyage";
  return {
    id: "voyage",
    model,
    dimensions,
    space,
    sees: "meaning",
    maxBatch: MAX_BATCH,
    embed: async (texts, purpose, signal) => {
      const request = {
        provider,
        url: `${options.baseUrl}/embeddings`,
        headers: { ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }), ...options.headers },
        body: {
          model,
          input: [...texts],
          input_type: purpose,
          truncation: true,
          ...(options.asksDimensions && { output_dimension: dimensions }),
          ...(options.isOwnAddress && { encoding_format: "base64" }),
        },
      };
      const answer = await askProvider(request, options.fetch, signal);
      return numberedVectors(answer, { provider, count: texts.length, dimensions });
    },
  };
}
