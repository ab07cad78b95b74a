import { head } from "../lib/text.ts";
import { errorKind } from "./error-kind.ts";
import type { ModelError } from "./message.ts";

/** What is known about a failed model call. */
export interface Failure {
  /** The error message of the provider, the client library or the network. */
  message: string;
  /** The HTTP status, if there was an answer. */
  status?: number | undefined;
  /** The body of the answer; the empty string if it had none. */
  body?: string | undefined;
  /** The headers of the answer, names in lower case. */
  headers?: Record<string, string> | undefined;
}

const MAX_MESSAGE_CHARS = 600;
const MAX_BODY_CHARS = 20_000;

/**
 * Converts a failure to the kinds that failover decides by, from the status and the provider's message, in whatever
 * field it is. `timeout` is every failure that may pass by itself.
 */
export function toModelError(failure: Failure): ModelError {
  const body = head(failure.body ?? "", MAX_BODY_CHARS);
  const words = plainWords([failure.message, body].flatMap(providerMessage));
  const status = failure.status ?? statusIn(words);
  const retry = retryAfterMs(failure.headers ?? {}, body || failure.message);
  return {
    kind: errorKind({ words, status, silent: failure.body?.trim() === "" }),
    message: head(sentenceIn(body) ?? sentenceIn(failure.message) ?? statusLine(status), MAX_MESSAGE_CHARS),
    ...(failure.status !== undefined && { status: failure.status }),
    ...(retry !== undefined && { retryAfterMs: retry }),
  };
}

/** Splits codes into words: `RATE_LIMIT_ERROR` and `RateLimitError` become "rate limit error". */
function plainWords(messages: readonly string[]): string {
  return messages
    .join("\n")
    .replaceAll("_", " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

/**
 * The status that a text names: at its start and alone or before a word of failures, or after a word that announces
 * one; never a bare number, as in "402 items found".
 */
function statusIn(words: string): number | undefined {
  const named =
    /^([45]\d\d)(?=$|\s*[^\w\s]|\s+(?:bad|conflict|error|forbidden|gateway|gone|internal|invalid|method|no|not|overloaded|payment|rate|request|server|service|status|too|un\w+)\b)|\b(?:status(?: code)?|http(?:\/\d(?:\.\d)?)?|code|error|got an?|received an?|returned)\b[:=( ]{1,3}([45]\d\d)\b/m.exec(
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

/**
 * The strings of an error text: the text itself or, if it is JSON, its messages and codes. Other fields may quote the
 * request and prove nothing.
 */
export function providerMessage(text: string): string[] {
  const json = parsed(text);
  return json === undefined ? [text] : errorStrings(json);
}

/** The message for people in an error text. */
export function sentenceIn(text: string): string | undefined {
  const json = parsed(text);
  const sentence = json === undefined ? text.trim() : messageIn(json);
  return sentence === undefined || sentence === "" || sentence.startsWith("<") ? undefined : sentence;
}

/** Fields in which providers put the reason: `error_code`, `status_msg`, `__type`, or `raw` behind a gateway. */
const REASON_FIELDS = /^(?:_*|\w+_)(?:message|msg|type|code|status|error|details?|reason|title|raw)$/i;

function errorStrings(json: unknown): string[] {
  if (typeof json === "string") return providerMessage(json);
  if (typeof json === "number") return [`code: ${json}`];
  if (Array.isArray(json)) return json.flatMap(errorStrings);
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) =>
    REASON_FIELDS.test(key) || (typeof value === "object" && key !== "param") ? errorStrings(value) : [],
  );
}

function messageIn(json: unknown): string | undefined {
  if (typeof json === "string") return json;
  if (Array.isArray(json)) return json.map(messageIn).find((message) => message !== undefined);
  if (typeof json !== "object" || json === null) return undefined;
  const fields = new Map(Object.entries(json));
  for (const key of ["error", "errors", "message", "detail", "details", "msg", "response"]) {
    const message = messageIn(fields.get(key));
    if (message !== undefined) return message;
  }
  const statusMessage = [...fields].find(([key, value]) => key.endsWith("_msg") && typeof value === "string");
  return statusMessage === undefined ? messageIn(fields.get("base_resp")) : messageIn(statusMessage[1]);
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The wait that a provider asks for, in milliseconds: from `retry-after-ms`, from `Retry-After` in seconds or as a date
 * (measured against the answer's own `Date`, so that no clock is needed), from a field such as `retryDelay` or
 * `resets_in_seconds`, or from the message.
 */
export function retryAfterMs(headers: Record<string, string>, text: string): number | undefined {
  const exact = positive(headers["retry-after-ms"]);
  if (exact !== undefined) return exact;
  const after = headers["retry-after"];
  const seconds = positive(after);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  if (after !== undefined && headers.date !== undefined) {
    const wait = Date.parse(after) - Date.parse(headers.date);
    if (wait >= 0) return wait;
  }
  const field = /"(?:retry_?delay|retry_after(?:_seconds)?|resets?_in_seconds)"\s*:\s*"?([\d.]+)s?"?\s*[,}\]]/i.exec(
    text,
  );
  if (field) return Math.round(Number(field[1]) * 1000);
  return sentenceMs(text);
}

/** Reads "try again in 20s", "in 6m0.5s", "in 350ms", "after 30 seconds", "wait 12 seconds". */
function sentenceMs(text: string): number | undefined {
  const found =
    /(?:(?:retry|try again|available)[^.\n]{0,20}? (?:in|after)|please wait) (?:about )?(?:(\d+)h)?(?:(\d+)m(?!s|i))?(?:([\d.]*\d) ?(ms|milliseconds?|s\b|sec\w*|m\b|min\w*))?/i.exec(
      text,
    );
  if (!found || (found[1] ?? found[2] ?? found[3]) === undefined) return undefined;
  const unit = found[4]?.toLowerCase() ?? "s";
  const scale = unit.startsWith("ms") || unit.startsWith("mil") ? 1 : unit.startsWith("m") ? 60_000 : 1000;
  return Math.round(Number(found[1] ?? 0) * 3_600_000 + Number(found[2] ?? 0) * 60_000 + Number(found[3] ?? 0) * scale);
}

function positive(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return value >= 0 ? value : undefined;
}
