import type { FetchLike } from "@modelcontextprotocol/client";
import { within } from "../lib/deadline.ts";
import { readCapped } from "../lib/read-capped.ts";
import { EgressError } from "../security/egress-error.ts";
import type { StreamingFetch } from "../security/streaming-fetch.ts";
import { failureOf, ServerError } from "./failure.ts";

/** Refusals that pass. */
const PASSING = ["server_error", "temporarily_unavailable"];

/** An authorization server's refusal, with its code, such as `invalid_grant`. */
export class OAuthRefusal extends ServerError {
  readonly code: string;

  constructor(code: string) {
    const kind = PASSING.includes(code) ? "away" : "signed_out";
    super({ kind, message: `Its authorization server refuses: ${code}.` });
    this.name = "OAuthRefusal";
    this.code = code;
  }
}

/** Longest time of one request, and most bytes of its answer. */
const REQUEST_MS = 10_000;
const MAX_BYTES = 256 * 1024;

/** What a step of OAuth is done with: the SDK, and the guarded way out. */
export interface OAuthTools {
  sdk: typeof import("@modelcontextprotocol/client");
  fetch: FetchLike;
}

/**
 * Does a step of OAuth. Its answers may hold tokens, so no error repeats them.
 * @throws ServerError; OAuthRefusal where the authorization server refuses it
 */
export async function stepOfOAuth<Result>(
  guarded: StreamingFetch,
  step: (tools: OAuthTools) => Promise<Result>,
): Promise<Result> {
  const sdk = await import("@modelcontextprotocol/client");
  // The SDK tries several addresses, and does not pass on why one failed.
  let fault: unknown;
  const fetch: FetchLike = (url, { method, headers, body } = {}) =>
    within(REQUEST_MS, async (signal) => {
      try {
        return await whole(await guarded(url, { method, headers, body, signal }));
      } catch (error) {
        fault = error;
        throw error;
      }
    });
  try {
    return await step({ sdk, fetch });
  } catch (error) {
    throw serverErrorOf(error, fault, sdk);
  }
}

function serverErrorOf(error: unknown, fault: unknown, sdk: OAuthTools["sdk"]): ServerError {
  if (error instanceof ServerError) return error;
  if (fault !== undefined) return new ServerError(failureOf(fault, REQUEST_MS));
  if (error instanceof sdk.OAuthError) return new OAuthRefusal(plainCode(error.code));
  const failed = (message: string) => new ServerError({ kind: "broken", message });
  if (error instanceof sdk.IssuerMismatchError)
    return failed("What answers is another authorization server than the one that was asked.");
  if (error instanceof sdk.RegistrationRejectedError)
    return failed(`Its authorization server registers no client (${error.status}): name one in oauth.clientId.`);
  if (error instanceof sdk.InsecureTokenEndpointError)
    return failed("Its authorization server wants tokens to be sent unencrypted.");
  return failed("Its authorization server does not answer as OAuth 2.1 says.");
}

/** The code of an error, as far as it can be one: the server chooses the text. */
export function plainCode(code: string): string {
  return /^[a-z][a-z_]{0,59}$/.test(code) ? code : "an unknown error";
}

async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const body = await readCapped(response.body, MAX_BYTES);
  if (body === undefined)
    throw new EgressError("too_large", `The answer is larger than ${MAX_BYTES} bytes.`, "Check its address.");
  return new Response(body.length === 0 ? null : body, { status, statusText, headers });
}
