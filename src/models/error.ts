import { head } from "../lib/text.ts";
import { kindOf } from "./error-kind.ts";
import { providerMessage, sentenceIn } from "./error-text.ts";
import type { ModelError } from "./message.ts";
import { retryAfterMs } from "./retry-after.ts";

/** What is known about a model call that failed. */
export interface Failure {
  /** What was said about it: by the provider, the client library or the network. */
  message: string;
  /** The HTTP status, where there was an answer. */
  status?: number | undefined;
  /** The answer's body as it came; the empty string where it had none. */
  body?: string | undefined;
  /** The answer's headers, names in lower case. */
  headers?: Record<string, string> | undefined;
}

const MAX_MESSAGE_CHARS = 600;
const MAX_BODY_CHARS = 20_000;

/**
 * Says what went wrong in the terms in which failover decides: from the status, and from what the provider says in
 * whichever field it says it. `timeout` is every failure that may pass by itself.
 */
export function toModelError(failure: Failure): ModelError {
  const body = head(failure.body ?? "", MAX_BODY_CHARS);
  const words = plainWords([failure.message, body].flatMap(providerMessage));
  const status = failure.status ?? statusIn(words);
  const retry = retryAfterMs(failure.headers ?? {}, body || failure.message);
  return {
    kind: kindOf({ words, status, silent: failure.body?.trim() === "" }),
    message: head(sentenceIn(body) ?? sentenceIn(failure.message) ?? statusLine(status), MAX_MESSAGE_CHARS),
    ...(failure.status !== undefined && { status: failure.status }),
    ...(retry !== undefined && { retryAfterMs: retry }),
  };
}

/** Codes read as sentences do: `RATE_LIMIT_ERROR` and `RateLimitError` are "rate limit error". */
function plainWords(told: readonly string[]): string {
  return told
    .join("\n")
    .replaceAll("_", " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

/** A status that a text names: at its start, or after a word that announces one; never a bare number. */
function statusIn(words: string): number | undefined {
  const named =
    /^([45]\d\d)\b|\b(?:status(?: code)?|http(?:\/\d(?:\.\d)?)?|code|error|got an?|received an?|returned)\b[:=( ]{1,3}([45]\d\d)\b/m.exec(
      words,
    );
  const digits = named?.[1] ?? named?.[2];
  return digits === undefined ? undefined : Number(digits);
}

function statusLine(status: number | undefined): string {
  return status === undefined
    ? "The model gave no reason."
    : `The model's server answered ${status} and gave no reason.`;
}
