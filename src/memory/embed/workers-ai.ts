import { z } from "zod";
import { messageOf } from "../../lib/errors.ts";
import { embedFailure } from "./embed-failure.ts";
import { type Embedder, EmbedError, type Purpose } from "./embedder.ts";
import { unitVectors } from "./unit-vectors.ts";

/** What is needed of the binding of Workers AI: `Ai` is one. */
export interface EmbeddingBinding {
  run(model: string, inputs: Record<string, unknown>, options: { signal: AbortSignal }): Promise<unknown>;
}

/** The binding's own limit. */
const MAX_BATCH = 100;

const WHO = "Workers AI";

const embeddings = z.object({ data: z.array(z.unknown()) });

/** Embeddings by a model of Workers AI, in the account that the Worker runs in. */
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
      const answer = await run(ai, model, inputsOf(model, texts, purpose), signal);
      const read = embeddings.safeParse(answer);
      if (!read.success) throw new EmbedError("unavailable", `${WHO} gave an answer without vectors.`);
      return unitVectors(read.data.data, { who: WHO, count: texts.length, dimensions });
    },
  };
}

/** What a model is given: they cut long texts, one only where it is told to. */
function inputsOf(model: string, texts: readonly string[], purpose: Purpose): Record<string, unknown> {
  if (model.includes("qwen3-embedding")) return { [purpose === "query" ? "queries" : "documents"]: [...texts] };
  if (model.includes("bge-m3")) return { text: [...texts], truncate_inputs: true };
  // The vectors that Cloudflare advises; the older way is there for those who have vectors of it.
  if (/bge-.*-en/.test(model)) return { text: [...texts], pooling: "cls" };
  return { text: [...texts] };
}

/** @throws EmbedError, also where the binding does not end at the signal */
async function run(
  ai: EmbeddingBinding,
  model: string,
  inputs: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const called = Promise.withResolvers<never>();
  const callOff = () => called.reject(new EmbedError("timeout", `${WHO} did not answer in time.`));
  if (signal.aborted) callOff();
  signal.addEventListener("abort", callOff, { once: true });
  try {
    return await Promise.race([called.promise, ai.run(model, inputs, { signal })]);
  } catch (error) {
    if (error instanceof EmbedError) throw error;
    if (signal.aborted) throw new EmbedError("timeout", `${WHO} did not answer in time.`);
    throw embedFailure(WHO, { message: messageOf(error) });
  } finally {
    signal.removeEventListener("abort", callOff);
  }
}
