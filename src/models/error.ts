import { head } from "../lib/text.ts";
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
  const told = [failure.message, body].flatMap(spoken);
  const words = told.join("\n").replaceAll("_", " ").toLowerCase();
  const status = failure.status ?? statusIn(words);
  const retry = retryAfterMs(failure.headers ?? {}, body || failure.message);
  return {
    kind: kindOf(words, status, failure.body?.trim() === ""),
    message: head(sentenceIn(body) ?? sentenceIn(failure.message) ?? statusLine(status), MAX_MESSAGE_CHARS),
    ...(failure.status !== undefined && { status: failure.status }),
    ...(retry !== undefined && { retryAfterMs: retry }),
  };
}

/**
 * The rules, first match wins. A status that means one thing decides before words; among words, the narrower claim
 * comes first: "too many requests" exceed a limit too, and so does an image.
 */
function kindOf(words: string, status: number | undefined, silent: boolean): ModelError["kind"] {
  if (status === 413) return "overflow";
  if (status === 402 || NO_MONEY.test(words)) return "billing";
  if (status === 429 || TOO_OFTEN.test(words)) return "rate_limit";
  if (TOO_LONG.some((rule) => rule.test(words)) && !OTHER_LIMIT.test(words)) return "overflow";
  if (BILLING.test(words)) return "billing";
  if (status === 401 || status === 403 || UNAUTHORIZED.test(words)) return "auth";
  if (status === 503 || status === 529 || TOO_BUSY.test(words)) return "overloaded";
  if (isPassing(status)) return "timeout";
  // A gateway that refuses a request for its size often answers 400 and says nothing.
  if (status === 400 && (silent || words.includes("no body"))) return "overflow";
  if (status === 400 || status === 405 || status === 415 || status === 422) return "format";
  if (PASSING.test(words)) return "timeout";
  return MALFORMED.test(words) ? "format" : "other";
}

const NO_MONEY =
  /insufficient (?:quota|credits?|balance|funds)|(?:credit|account) balance|(?:out of|no|not enough) credits?\b|payment required|余额不足|欠费/;

const TOO_OFTEN =
  /rate[ -]?limit|too many (?:\w+ )?requests|\b[rt]p[mdh]\b|(?:tokens|requests) per (?:second|minute|hour|day)|resource (?:has been )?exhausted|throttl|cool(?:ing)?[ -]?down|(?:quota|usage limit) (?:exceeded|reached)|exceeded your (?:current )?quota|限流|请求(?:过多|频繁)|频率/;

/** A part of the request, and then the verdict on its size. */
const TOO_LONG = [
  /\b(?:prompt|inputs?|requests?|contexts?|messages|conversation|tokens?)\b[^\n]{0,90}(?:\bexceed|\btoo (?:long|large|many tokens)|\b(?:longer|larger|greater) than\b|\bover the (?:limit|maximum)\b)/,
  /\b(?:context|prompt|model) (?:window|length|size|limit)[^\n]{0,60}(?:requested|resulted in|contains|your (?:request|prompt|messages))/,
  /^(?:error: )?context overflow *:/m,
  /reduce the (?:length|size|number) of [^\n]{0,20}(?:messages|prompt|input|context)/,
  /上下文[^。\n]{0,10}(?:过长|过大|超)|(?:超出|超过|压缩)[^。\n]{0,12}上下文/,
];

/** Limits that a shorter conversation would not meet either. */
const OTHER_LIMIT = /\b(?:image|file|attachment|document|audio)s?\b|string too long/;

const BILLING = /\bbilling\b|(?:spending|hard) limit/;

const UNAUTHORIZED =
  /(?:invalid|incorrect|wrong|missing|no|revoked|expired|disabled)\b[^\n]{0,20}\b(?:api[ -]?key|credentials?|(?:access|auth\w*|bearer) token)|\b(?:api[ -]?key|credentials?)\b[^\n]{0,40}\b(?:invalid|incorrect|revoked|expired|disabled|not (?:found|valid)|missing|required)|unauthori[sz]ed|unauthenticated|authentication|permission (?:denied|error)|access denied|forbidden/;

const TOO_BUSY =
  /overload|service (?:is )?(?:temporarily |currently )?unavailable|at capacity|high demand|server (?:is )?busy|过载|繁忙/;

const PASSING =
  /deadline exceeded|time[d ]?[ -]?out|fetch failed|network|socket|\be(?:conn\w+|notfound|timedout|pipe|ai again)\b|no such host|connect(?:ion)? (?:error|reset|refused|closed|lost|aborted)|cannot connect|(?:internal|upstream) (?:server )?error|server error|\bapi error\b|bad gateway|gateway|without (?:sending any|a finish)|stream (?:ended|closed)|ended early|terminated|hang ?up|超时/;

const MALFORMED =
  /invalid (?:\w+ ){0,2}(?:request|argument|format|parameter|schema)|should match|malformed|bad request|unsupported|unprocessable|validation (?:error|failed)/;

/** 408, 425 and 499 are about time, 5xx about the server: the same request may do well a little later. */
function isPassing(status: number | undefined): boolean {
  return status === 408 || status === 409 || status === 425 || status === 499 || (status ?? 0) >= 500;
}

/** A status that a text names: at its start, or after a word that announces one; never a bare number. */
function statusIn(words: string): number | undefined {
  const named = /^([45]\d\d)\b|\b(?:status(?: code)?|http(?:\/\d(?:\.\d)?)?|code|error)\b[:=( ]{1,3}([45]\d\d)\b/m.exec(
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

/** What a text says: itself or, where it is JSON, the strings in it that describe an error and the code that it names. */
function spoken(text: string): string[] {
  const json = parsed(text);
  return json === undefined ? [text] : toldBy(json);
}

/** The fields in which providers put a reason. All else of a body may quote the request and proves nothing. */
const TELLING = new Set([
  "message",
  "type",
  "code",
  "status",
  "error",
  "error_code",
  "detail",
  "details",
  "msg",
  "reason",
  "title",
]);

function toldBy(json: unknown): string[] {
  if (typeof json === "string") return [json];
  if (typeof json === "number") return [`code: ${json}`];
  if (Array.isArray(json)) return json.flatMap(toldBy);
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) =>
    TELLING.has(key) || (typeof value === "object" && key !== "param") ? toldBy(value) : [],
  );
}

/** The sentence in a text that is meant for people. */
function sentenceIn(text: string): string | undefined {
  const json = parsed(text);
  const sentence = json === undefined ? text.trim() : messageIn(json);
  return sentence === undefined || sentence === "" || sentence.startsWith("<") ? undefined : sentence;
}

function messageIn(json: unknown): string | undefined {
  if (typeof json === "string") return json;
  if (Array.isArray(json)) return json.map(messageIn).find((message) => message !== undefined);
  if (typeof json !== "object" || json === null) return undefined;
  const fields = new Map(Object.entries(json));
  for (const key of ["error", "message", "detail", "details", "msg", "response"]) {
    const message = messageIn(fields.get(key));
    if (message !== undefined) return message;
  }
  return undefined;
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
