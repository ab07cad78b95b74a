import type { Json } from "../../lib/json.ts";
import { readCapped } from "../../lib/read-capped.ts";
import { head } from "../../lib/text.ts";
import { estimateTokens } from "../../lib/tokens.ts";
import { type Failure, toModelError } from "../../models/error.ts";
import type { ModelError } from "../../models/message.ts";
import { EmbedError, type EmbedErrorKind } from "./embedder.ts";

/** Options of every provider that is called over HTTP. */
export interface RemoteOptions {
  model: string;
  dimensions: number;
  /** Whether the request names the number of dimensions. */
  asksDimensions: boolean;
  /** Maximum tokens of a text. */
  maxTokens: number;
  /** Base of the API without a slash at the end: `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Whether that is the provider's own address and not a compatible server. */
  isOwnAddress: boolean;
  /** Undefined if the server needs none. */
  apiKey: string | undefined;
  /** Sent with every request; they override the provider's own. */
  headers: Record<string, string>;
  space: string;
  fetch: typeof fetch;
}

export interface ProviderRequest {
  /** The provider's name for people. */
  provider: string;
  url: string;
  headers: Record<string, string>;
  body: Json;
}

/** More than the largest answer: 256 vectors of 3,072 numbers as JSON. */
const MAX_ANSWER_BYTES = 20 * 1024 * 1024;

/** Posts JSON to a provider and returns its parsed answer. @throws EmbedError */
export async function askProvider(
  { provider, url, headers, body }: ProviderRequest,
  fetch: RemoteOptions["fetch"],
  signal: AbortSignal,
): Promise<unknown> {
  const answer = await withEmbedError(provider, url, signal, async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      // A redirect would send the key to another server.
      redirect: "manual",
      signal,
    });
    return { response, bytes: await readCapped(response.body, MAX_ANSWER_BYTES) };
  });
  const text = new TextDecoder().decode(answer.bytes);
  const { status } = answer.response;
  if (status >= 400) {
    throw embedFailure(provider, {
      message: "",
      status,
      body: text,
      headers: Object.fromEntries(answer.response.headers),
    });
  }
  if (status >= 300) throw new EmbedError("unavailable", `${provider} points to another address (${status}).`);
  if (answer.bytes === undefined)
    throw new EmbedError("unavailable", `${provider} answered with more than was asked for.`);
  try {
    return JSON.parse(text);
  } catch {
    throw new EmbedError("unavailable", `${provider} answered with something that is not JSON.`);
  }
}

/** Turns every error of the network into an `EmbedError`. */
async function withEmbedError<Result>(
  provider: string,
  url: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch {
    if (signal.aborted) throw new EmbedError("timeout", `${provider} did not answer in time.`);
    throw new EmbedError("unavailable", `${provider} could not be reached at ${new URL(url).host}.`);
  }
}

/** How errors of model providers count for embeddings, and their sentence. */
const EMBED_ERRORS: Record<ModelError["kind"], readonly [kind: EmbedErrorKind, sentence: string]> = {
  auth: ["auth", "rejects the key"],
  billing: ["auth", "requires payment before it returns embeddings"],
  rate_limit: ["rate_limit", "reports that a rate limit or quota is exceeded"],
  overloaded: ["unavailable", "is overloaded"],
  timeout: ["unavailable", "failed"],
  overflow: ["rejected", "rejects the text as too long"],
  format: ["rejected", "rejects the request"],
  other: [
    "unavailable",
    "does not have the requested model or path; check memorySearch.model and memorySearch.remote.baseUrl",
  ],
};

/**
 * The error of a provider that returned no embeddings. Its own message is left out because it may repeat the key or the
 * text; only its code is kept.
 * @param provider its name for people
 */
export function embedFailure(provider: string, failure: Failure): EmbedError {
  const { kind, retryAfterMs } = toModelError(failure);
  const [embedKind, sentence] = EMBED_ERRORS[kind];
  const proof = [failure.status, errorCode(failure.body ?? failure.message)].filter((part) => part !== undefined);
  const message = `${provider} ${sentence}${proof.length === 0 ? "" : ` (${proof.join(" ")})`}.`;
  return new EmbedError(embedKind, message, retryAfterMs);
}

/** A code such as `model_not_found` or `RESOURCE_EXHAUSTED`. */
function errorCode(body: string): string | undefined {
  const found = /"(?:code|type|status)"\s*:\s*"([A-Za-z][A-Za-z_]{2,47})"/.exec(body);
  return found?.[1];
}

/** Providers count tokens with their own vocabularies, so an estimate has to stay well below their limit. */
const MARGIN = 0.8;

/** Cuts a text to what a model accepts. */
export function cutText(text: string, maxTokens: number): string {
  const most = maxTokens * MARGIN;
  let cut = text;
  // A character is rarely more than one token.
  while (cut.length > most) {
    const tokens = estimateTokens(cut);
    if (tokens <= most) break;
    cut = head(cut, Math.floor(Math.min(cut.length - 1, (cut.length * most) / tokens)));
  }
  return cut;
}
