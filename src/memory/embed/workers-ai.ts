import { z } from "zod";
import { messageOf } from "../../lib/errors.ts";
import { embedFailure } from "./ask-provider.ts";
import { type Embedder, EmbedError, type Purpose } from "./embedder.ts";
import { unitVectors } from "./unit-vectors.ts";

/** The part of the Workers AI binding (`Ai`) that is used. */
export interface EmbeddingBinding {
  run(model: string, inputs: Record<string, unknown>, options: { signal: AbortSignal }): Promise<unknown>;
}

/** The binding's own limit. */
const MAX_BATCH = 100;

const PROVIDER = "Workers AI";

const embeddings = z.object({ data: z.array(z.unknown()) });

/** Embeddings by a model of Workers AI in the Worker's own account. */
export function workersAiEmbedder(
  ai: EmbeddingBinding,
  { model, dimensions, space }: { model: string; dimensions: number; space: string },
): Embedder {
  return {
    id: "workers-ai",
    model,
    dimensions,
    space,
    sees: "meaning",
    maxBatch: MAX_BATCH,
    embed: async (texts, purpose, signal) => {
      const answer = await run(ai, model, modelInputs(model, texts, purpose), signal);
      const read = embeddings.safeParse(answer);
      if (!read.success) throw new EmbedError("unavailable", `${PROVIDER} gave an answer without vectors.`);
      return unitVectors(read.data.data, { provider: PROVIDER, count: texts.length, dimensions });
    },
  };
}

/** The inputs of a model. All models cut long texts, bge-m3 only on request. */
function modelInputs(model: string, texts: readonly string[], purpose: Purpose): Record<string, unknown> {
  if (model.includes("qwen3-embedding")) return { [purpose === "query" ? "queries" : "documents"]: [...texts] };
  if (model.includes("bge-m3")) return { text: [...texts], truncate_inputs: true };
  // Cloudflare recommends this pooling; its default exists for older vectors.
  if (/bge-.*-en/.test(model)) return { text: [...texts], pooling: "cls" };
  return { text: [...texts] };
}

/** @throws EmbedError, also if the binding ignores the signal */
async function run(
  ai: EmbeddingBinding,
  model: string,
  inputs: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(new EmbedError("timeout", `${PROVIDER} did not answer in time.`));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([aborted.promise, ai.run(model, inputs, { signal })]);
  } catch (error) {
    if (error instanceof EmbedError) throw error;
    if (signal.aborted) throw new EmbedError("timeout", `${PROVIDER} did not answer in time.`);
    throw embedFailure(PROVIDER, { message: messageOf(error) });
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
