import type { Json } from "../../lib/json.ts";
import { readCapped } from "../../lib/read-capped.ts";
import { embedFailure } from "./embed-failure.ts";
import { EmbedError } from "./embedder.ts";

/** What every provider that is asked over HTTP has to know. */
export interface RemoteOptions {
  model: string;
  dimensions: number;
  /** Whether the model is told how many dimensions to give; others give what they give. */
  asksDimensions: boolean;
  /** Most tokens of a text. */
  maxTokens: number;
  /** Where the API begins, without a slash at the end: `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Whether that is the provider's own address, and not one that only speaks its language. */
  isOwnAddress: boolean;
  /** Absent where the server wants none. */
  apiKey: string | undefined;
  /** Sent with every request, over those of the provider. */
  headers: Record<string, string>;
  space: string;
  fetch: typeof fetch;
}

export interface ProviderRequest {
  /** The provider, as people know it. */
  who: string;
  url: string;
  headers: Record<string, string>;
  body: Json;
}

/** More than the largest answer that is asked for: 256 vectors of 3,072 numbers, as JSON. */
const MAX_ANSWER_BYTES = 20 * 1024 * 1024;

/** Posts JSON to a provider and gives what it answers, parsed. @throws EmbedError */
export async function askProvider(
  { who, url, headers, body }: ProviderRequest,
  fetch: RemoteOptions["fetch"],
  signal: AbortSignal,
): Promise<unknown> {
  const answer = await heard(who, url, signal, async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      // A redirect would carry the key to somebody else.
      redirect: "manual",
      signal,
    });
    return { response, bytes: await readCapped(response.body, MAX_ANSWER_BYTES) };
  });
  const text = new TextDecoder().decode(answer.bytes);
  const { status } = answer.response;
  if (status >= 400) {
    throw embedFailure(who, { message: "", status, body: text, headers: Object.fromEntries(answer.response.headers) });
  }
  if (status >= 300) throw new EmbedError("unavailable", `${who} points to another address (${status}).`);
  if (answer.bytes === undefined) throw new EmbedError("unavailable", `${who} answered with more than was asked for.`);
  try {
    return JSON.parse(text);
  } catch {
    throw new EmbedError("unavailable", `${who} answered with something that is not JSON.`);
  }
}

/** Work that fails as an `EmbedError`, whatever the network throws. */
async function heard<Result>(
  who: string,
  url: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch {
    if (signal.aborted) throw new EmbedError("timeout", `${who} did not answer in time.`);
    throw new EmbedError("unavailable", `${who} could not be reached at ${new URL(url).host}.`);
  }
}
