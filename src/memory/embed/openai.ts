import { askProvider, cutText, type RemoteOptions } from "./ask-provider.ts";
import type { Embedder } from "./embedder.ts";
import { numberedVectors } from "./unit-vectors.ts";

/** OpenAI accepts 2,048 texts; smaller batches are fast and lose little if they fail. */
const MAX_BATCH = 256;

/**
 * `POST /embeddings` of OpenAI and compatible servers. Base64 and a number of dimensions are requested only if they are
 * known to be supported: compatible servers reject unknown fields.
 */
export function openaiEmbedder(options: RemoteOptions): Embedder {
  const { model, dimensions, space } = options;
  return {
    id: "openai",
    model,
    dimensions,
    space,
    sees: "meaning",
    maxBatch: MAX_BATCH,
    embed: async (texts, _purpose, signal) => {
      const provider = options.isOwnAddress ? "OpenAI" : `The embedding server (${new URL(options.baseUrl).host})`;
      const request = {
        provider,
        url: `${options.baseUrl}/embeddings`,
        headers: { ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }), ...options.headers },
        body: {
          model,
          input: texts.map((text) => cutText(text, options.maxTokens)),
          ...(options.asksDimensions && { dimensions }),
          ...(options.isOwnAddress && { encoding_format: "base64" }),
        },
      };
      const answer = await askProvider(request, options.fetch, signal);
      return numberedVectors(answer, { provider, count: texts.length, dimensions });
    },
  };
}
