import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { type Agent, agentOf, defaultAgentId } from "../../config/agents.ts";
import { batches } from "../../lib/batches.ts";
import { within } from "../../lib/deadline.ts";
import { type ErrorCode, IsopodError } from "../../lib/errors.ts";
import { estimateTokens } from "../../lib/tokens.ts";
import { type Embedder, EmbedError, type EmbedErrorKind } from "../../memory/embed/embedder.ts";
import type { Services } from "../../services/services.ts";
import type { AppEnv } from "../context.ts";
import { checkedByNewest } from "../newest-services.ts";
import { onOpenAiInvalid, openAiErrorBody } from "./errors.ts";
import { requestedAgent } from "./models.ts";
import { largeBody, MODEL_PARAM } from "./shared-schema.ts";

/** Most texts of a request, as at OpenAI, and most characters of one and of all. */
const MAX_TEXTS = 2048;
const MAX_TEXT_CHARS = 100_000;
const MAX_CHARS = 1_000_000;
/** Most characters of one request to the provider, and its time limit. */
const BATCH_CHARS = 100_000;
const BATCH_MS = 30_000;

const textInput = z
  .string("send texts: token numbers are another model's")
  .min(1, "the text is empty")
  .max(MAX_TEXT_CHARS, `a text has at most ${MAX_TEXT_CHARS} characters`);

const embeddingsRequest = z
  .looseObject({
    model: MODEL_PARAM.openapi({
      description: "`isopod/<agentId>`, or `isopod`: the embedding model of that agent's memory; or that model's name.",
    }),
    input: z.union([textInput, z.array(textInput).min(1, "there is no text").openapi({ maxItems: MAX_TEXTS })]),
    encoding_format: z.enum(["float", "base64"]).nullish(),
    dimensions: z
      .int()
      .min(1)
      .max(4096)
      .nullish()
      .openapi({ description: "Where the model can be asked for another number than memory uses." }),
  })
  .openapi("EmbeddingsRequest");

const embeddingsAnswer = z
  .object({
    object: z.literal("list"),
    data: z.array(
      z.object({
        object: z.literal("embedding"),
        index: z.int(),
        embedding: z
          .union([z.array(z.number()), z.string()])
          .openapi({ description: "Numbers, or with `base64` little-endian 32-bit floats." }),
      }),
    ),
    model: z.string(),
    usage: z
      .object({ prompt_tokens: z.int(), total_tokens: z.int() })
      .openapi({ description: "Estimated from the texts." }),
  })
  .openapi("Embeddings");

const error = { content: { "application/json": { schema: openAiErrorBody } } };

const embeddingsRoute = createRoute({
  method: "post",
  path: "/embeddings",
  summary: "OpenAI: embeddings of texts",
  description:
    "By the embedding provider of an agent's memory (`memorySearch`), which receives the texts. Vectors have length 1. A " +
    "text that is too long for the model is cut. The token needs the scope `write`, because providers charge for it.",
  middleware: largeBody,
  request: { body: { required: true, content: { "application/json": { schema: embeddingsRequest } } } },
  responses: {
    200: {
      description: "A vector for each text, in order",
      content: { "application/json": { schema: embeddingsAnswer } },
    },
    400: { description: "The request is wrong", ...error },
    404: { description: "There is no such model", ...error },
    429: { description: "The provider limits the rate", ...error },
    503: { description: "No provider is set up, or it does not answer", ...error },
  },
});

/** `POST /v1/embeddings`. */
export const openAiEmbeddingRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onOpenAiInvalid });

openAiEmbeddingRoutes.openapi(embeddingsRoute, async (c) => {
  const { model, input, encoding_format, dimensions } = c.req.valid("json");
  const texts = typeof input === "string" ? [input] : input;
  requireBounded(texts);
  const embedder = await checkedByNewest(c, (services) => requestedEmbedder(model, dimensions ?? undefined, services));
  const vectors = await embed(embedder, texts, c.req.raw.signal);
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  const data = vectors.map((vector, index) => {
    return { object: "embedding" as const, index, embedding: encoded(vector, encoding_format ?? "float") };
  });
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return c.json({ object: "list" as const, data, model: embedder.model, usage }, 200);
});

/** @throws IsopodError `invalid_request` */
function requireBounded(texts: readonly string[]): void {
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  const [what, count, max] =
    texts.length > MAX_TEXTS ? ["texts", texts.length, MAX_TEXTS] : ["characters", chars, MAX_CHARS];
  if (count <= max) return;
  const message = `input: ${count} ${what} are more than the ${max} that can be taken at once`;
  throw new IsopodError("invalid_request", message, undefined, { param: "input", reason: "invalid_value" });
}

/** @throws IsopodError `not_found`, `not_configured`, or `invalid_request` for a number of dimensions */
function requestedEmbedder(model: string, dimensions: number | undefined, services: Services): Embedder {
  const agent = agentWith(model, services);
  const settings = { ...agent.memorySearch, fallback: "none" as const };
  const own = services.embeddersOf(settings);
  if (own.primary === undefined) {
    const message = `The agent '${agent.id}' has no embedding provider: ${own.why}`;
    throw new IsopodError("not_configured", message, "Set agents.defaults.memorySearch.provider.");
  }
  if (dimensions === undefined || dimensions === own.primary.dimensions) return own.primary;
  const { primary } = services.embeddersOf({ ...settings, outputDimensionality: dimensions });
  if (primary?.dimensions === dimensions) return primary;
  const message = `dimensions: the model '${own.primary.model}' gives ${own.primary.dimensions}`;
  throw new IsopodError("invalid_request", message, undefined, { param: "dimensions", reason: "invalid_value" });
}

/** The agent that a model names; for the name of an embedding model, the first agent that has it. */
function agentWith(model: string, services: Services): Agent {
  const { config } = services;
  const ids = [defaultAgentId(config), ...config.agents.list.map(({ id }) => id)];
  const agents = ids.map((id) => agentOf(config, id));
  const named = agents.find(({ memorySearch }) => services.embeddersOf(memorySearch).primary?.model === model);
  return named ?? agentOf(config, requestedAgent(model, config) ?? defaultAgentId(config));
}

/** @throws IsopodError */
async function embed(embedder: Embedder, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  const limits = { size: BATCH_CHARS, count: embedder.maxBatch };
  try {
    for (const batch of batches(texts, (text) => text.length, limits)) {
      const made = await within(BATCH_MS, (late) => embedder.embed(batch, "document", AbortSignal.any([late, signal])));
      vectors.push(...made);
    }
  } catch (thrown) {
    if (!(thrown instanceof EmbedError)) throw thrown;
    const { kind, message, retryAfterMs } = thrown;
    throw new IsopodError(
      CODES[kind],
      message,
      undefined,
      retryAfterMs === undefined ? {} : { retryAfterSec: Math.ceil(retryAfterMs / 1000) },
    );
  }
  return vectors;
}

const CODES: Record<EmbedErrorKind, ErrorCode> = {
  auth: "not_configured",
  rate_limit: "rate_limited",
  timeout: "unavailable",
  unavailable: "unavailable",
  rejected: "invalid_request",
};

function encoded(vector: Float32Array, format: "float" | "base64"): number[] | string {
  if (format === "float") return [...vector];
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength).toBase64();
}
