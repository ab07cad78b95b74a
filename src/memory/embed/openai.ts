import { askProvider, type RemoteOptions } from "./ask-provider.ts";
import { cutText } from "./cut-text.ts";
import type { Embedder } from "./embedder.ts";
import { numberedVectors } from "./unit-vectors.ts";

/** OpenAI takes 2,048 texts at once; a hundred or so are quick, and little is lost where they fail. */
const MAX_BATCH = 256;

/**
 * `POST /embeddings`, as OpenAI and many servers have it. Numbers in base64 and a wanted count of dimensions are asked
 * for where they are sure to be known: servers that only speak OpenAI's language refuse fields that they do not know.
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
      const who = options.isOwnAddress ? "OpenAI" : `The embedding server (${new URL(options.baseUrl).host})`;
      const request = {
        who,
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
      return numberedVectors(answer, { who, count: texts.length, dimensions });
    },
  };
}
