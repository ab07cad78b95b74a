import { toModelError } from "../models/error.ts";
import { failureText } from "../models/error-advice.ts";
import { EgressError } from "../security/egress-error.ts";
import type { SafeFetch, SafeRequest, SafeResponse } from "../security/safe-fetch.ts";
import { MediaError } from "./media-model.ts";

/** A provider with OpenAI's paths for media, opened for one model. */
export interface MediaEndpoint {
  /** `provider/model`. */
  ref: string;
  /** The base of its paths, with the version. */
  baseUrl: string;
  apiKey: string | undefined;
  /** The variable of its key; undefined if none is named. */
  keyName: string | undefined;
  isKeySent: boolean;
  headers: Record<string, string>;
  egress: SafeFetch;
  timeoutMs: number;
}

/** Largest answer, in bytes: pictures come as base64 in JSON. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * Posts to a provider through the guarded egress.
 * @param body JSON as a value, or a form
 * @throws MediaError, or the signal's abort reason
 */
export async function postMedia(
  { baseUrl, apiKey, headers, ...endpoint }: MediaEndpoint,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<SafeResponse> {
  const encoded = body instanceof FormData ? new Response(body) : Response.json(body);
  const request = {
    method: "POST",
    headers: {
      ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
      ...headers,
      "Content-Type": encoded.headers.get("Content-Type") ?? "",
    },
    body: new Uint8Array(await encoded.arrayBuffer()),
  };
  return askMedia(`${baseUrl.replace(/\/+$/, "")}${path}`, request, endpoint, signal);
}

/** Downloads a file that a provider has an address for. @throws MediaError, or the signal's abort reason */
export function getMedia(url: string, endpoint: MediaEndpoint, signal: AbortSignal): Promise<SafeResponse> {
  return askMedia(url, { maxRedirects: 3 }, endpoint, signal);
}

async function askMedia(
  url: string,
  request: SafeRequest,
  { egress, timeoutMs, ...access }: Pick<MediaEndpoint, "egress" | "timeoutMs" | "ref" | "keyName" | "isKeySent">,
  signal: AbortSignal,
): Promise<SafeResponse> {
  try {
    // A redirect would take the key and the recording to another server.
    const answer = await egress(url, { maxRedirects: 0, ...request, signal, timeoutMs, maxBytes: MAX_ANSWER_BYTES });
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw refusal(answer, access);
  } catch (error) {
    if (error instanceof EgressError) throw new MediaError(`${access.ref}: ${error.message} ${error.hint}`);
    throw error;
  }
}

function refusal(
  { status, headers, body }: SafeResponse,
  { ref, keyName, isKeySent }: Pick<MediaEndpoint, "ref" | "keyName" | "isKeySent">,
): MediaError {
  const error = toModelError({ message: "", status, headers, body: new TextDecoder().decode(body) });
  const access = { baseUrl: "", isKeySent, ...(keyName !== undefined && { keyName }) };
  return new MediaError(failureText(error, { ref, access }));
}

/** The JSON of an answer. @throws MediaError */
export function jsonOf({ body }: SafeResponse, ref: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new MediaError(`${ref} answered with something that is not JSON.`);
  }
}
