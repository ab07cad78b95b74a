import { type ErrorCode, IsopodError } from "../../lib/errors.ts";
import { type EgressCode, EgressError } from "../../security/egress-error.ts";
import type { SafeFetch, SafeRequest, SafeResponse } from "../../security/safe-fetch.ts";

const CODES: Record<EgressCode, ErrorCode> = {
  bad_request: "invalid_request",
  refused: "forbidden",
  unresolved: "unavailable",
  too_many_redirects: "invalid_request",
  too_large: "payload_too_large",
  timed_out: "unavailable",
  unreachable: "unavailable",
};

/** Asks the outside for what an install needs. @throws IsopodError where there is no answer; any status is one */
export async function askOutside(fetch: SafeFetch, url: string, request: SafeRequest): Promise<SafeResponse> {
  try {
    return await fetch(url, request);
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    throw new IsopodError(CODES[thrown.code], thrown.message, thrown.hint, { reason: thrown.code });
  }
}
