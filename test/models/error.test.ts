import { describe, expect, inject, test } from "vitest";
import { type Failure, toModelError } from "../../src/models/error.ts";
import type { ModelError } from "../../src/models/message.ts";
import { PROVIDER_ERRORS } from "./provider-errors.ts";

type Kind = ModelError["kind"];

function said(message: string, status?: number): Failure {
  return status === undefined ? { message } : { message, status };
}

function answered(status: number, body: unknown, headers: Record<string, string> = {}): Failure {
  return { message: "", status, body: typeof body === "string" ? body : JSON.stringify(body), headers };
}

/** The fixtures' names of kinds; they call both sides of a capacity limit `rate_limit`. */
const ours: Record<string, Kind[]> = {
  overloaded: ["overloaded"],
  context_overflow: ["overflow"],
  compaction_failure: ["overflow"],
  rate_limit: ["rate_limit", "overloaded"],
  auth: ["auth"],
  auth_permanent: ["auth"],
  billing: ["billing"],
  timeout_or_transient: ["timeout"],
  format: ["format"],
  unclassified: ["other"],
};

interface Recorded {
  kind: string;
  status?: number;
  body?: string;
  stream?: string[];
  message?: string;
}

const url = `${inject("modelServer")}/fixtures/model-streams/errors.json`;
const absent = [{ kind: "other", message: "(no fixtures here)" }];
const recorded: Recorded[] = inject("fixtures") ? await (await fetch(url)).json() : absent;

describe("the kind of a model error", () => {
  const claims: [Kind, Failure][] = [
    [
      "overflow",
      said("This model's maximum context length is 8192 tokens. However, your messages resulted in 9301 tokens."),
    ],
    ["overflow", answered(400, { error: { code: "context_length_exceeded", message: "Please shorten your input." } })],
    ["overflow", said("The prompt (length 70000) is longer than the maximum model length of 65536.")],
    ["overflow", said("Please reduce the length of the messages or completion.", 400)],
    [
      "overflow",
      answered(413, {
        error: { code: "rate_limit_exceeded", message: "Request too large: TPM limit 6000, requested 9000" },
      }),
    ],
    ["overflow", said("This model's maximum prompt length is 131072 but the request contains 537812 tokens.")],
    ["overflow", said("the number of tokens to keep from the initial prompt is greater than the context length")],
    ["overflow", said("输入的上下文超出了模型的最大长度")],
    ["overflow", answered(400, "")],
    ["rate_limit", said("Rate limit reached for requests. Limit: 3 / min.", 429)],
    ["rate_limit", said("This request would exceed your organization's rate limit of 30,000 input tokens per minute.")],
    [
      "rate_limit",
      answered(429, {
        error: {
          status: "RESOURCE_EXHAUSTED",
          message: "You exceeded your current quota, please check your plan and billing details.",
        },
      }),
    ],
    ["rate_limit", said("请求过于频繁，触发限流")],
    ["billing", answered(429, { error: { code: "insufficient_quota", message: "You exceeded your current quota." } })],
    ["billing", answered(403, { error: { message: "Your account balance is insufficient, please top up." } })],
    ["billing", said("账户余额不足")],
    [
      "auth",
      answered(400, {
        error: { message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" },
      }),
    ],
    ["auth", said("Unauthorized", 401)],
    ["auth", answered(403, { error: { type: "permission_error", message: "Your key may not use this model." } })],
    ["overloaded", said("The server is currently busy.", 503)],
    ["overloaded", said("We're currently processing too many things: the engine is overloaded.")],
    ["overloaded", answered(529, "")],
    ["timeout", said("Network connection lost.")],
    ["timeout", said("Bad Gateway", 502)],
    ["timeout", answered(524, "<html>A timeout occurred</html>")],
    ["timeout", said("socket hang up")],
    ["format", answered(400, { error: { message: "messages.1: tool_use ids must be unique" } })],
    ["format", answered(422, { detail: [{ loc: ["body", "foo"], msg: "Extra inputs are not permitted" }] })],
    [
      "format",
      answered(400, {
        error: { message: "Invalid 'messages[3].tool_calls[0].id': string too long. Expected at most 40." },
      }),
    ],
    ["format", answered(400, { error: { message: "An image exceeds the maximum size of 5 MB" } })],
    [
      "format",
      answered(400, { error: { message: "max_tokens: 200000 > 64000, the most that this model may give out" } }),
    ],
    ["other", answered(404, { error: { message: "The model `gpt-99` is unknown here." } })],
    ["other", said("402 items found in the database")],
    ["billing", said("402 Payment Required")],
    ["rate_limit", said('429: {"detail":"slow down"}')],
    ["format", said("request size exceeds upload limit", 400)],
    ["other", said("Let us talk about rate, limits and contexts that overflow.")],
  ];

  test.each(claims)("is %s for %j", (kind, failure) => {
    expect(toModelError(failure).kind).toBe(kind);
  });

  test("is not read from a quoted request", () => {
    const quoted = {
      error: { message: "Invalid role.", param: "messages" },
      input: "the prompt is too long, 429 rate limit",
    };
    expect(toModelError(answered(400, quoted)).kind).toBe("format");
  });

  test.each(PROVIDER_ERRORS.map((row) => [...row]))("is %s if %s answers %s with %j", (kind, _, status, told) => {
    const body = typeof told === "string" ? told : JSON.stringify(told);
    const failure = status === undefined ? said(body) : { message: "", status, body };
    expect(toModelError(failure).kind).toBe(kind);
  });

  test.skipIf(!inject("fixtures")).each(recorded)("is right for the recorded $kind: $message$body", (fixture) => {
    const { message = fixture.stream?.join("") ?? "", status, body, kind } = fixture;
    const found = toModelError({ message: message.replace(/\b[XY]\b/g, "131072"), status, body }).kind;
    if (kind.startsWith("not_")) expect(ours[kind.slice("not_".length)]).not.toContain(found);
    else expect(ours[kind]).toContain(found);
  });
});

describe("the message of a model error", () => {
  test("is the provider's message for people", () => {
    expect(toModelError(answered(400, { error: { type: "x", message: "No such tool." } })).message).toBe(
      "No such tool.",
    );
    expect(toModelError(answered(400, { error: "No such tool." })).message).toBe("No such tool.");
    expect(toModelError(answered(422, { detail: [{ msg: "Extra inputs are not permitted" }] })).message).toBe(
      "Extra inputs are not permitted",
    );
    expect(toModelError(said('{"error":{"message":"No such tool."}}')).message).toBe("No such tool.");
  });

  test("is never an HTML page, and names the status if there is no message", () => {
    expect(toModelError(answered(502, "<html><body>Bad gateway</body></html>")).message).toBe(
      "The model's server answered 502 and gave no reason.",
    );
  });

  test("is found in provider-specific fields", () => {
    expect(toModelError(said('{"error_code":110,"error_msg":"Access token invalid"}')).message).toBe(
      "Access token invalid",
    );
    expect(toModelError(said('{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}')).message).toBe(
      "rate limit",
    );
    expect(toModelError(answered(429, { success: false, errors: [{ code: 3040, message: "Full." }] })).message).toBe(
      "Full.",
    );
  });

  test("is short", () => {
    expect(toModelError(said("x".repeat(5_000))).message).toHaveLength(600);
  });
});

describe("the wait before a retry", () => {
  const now = "Sat, 21 Nov 2026 10:00:00 GMT";

  test.each<[Record<string, string>, unknown, number]>([
    [{ "retry-after": "20" }, "", 20_000],
    [{ "retry-after": "1.5" }, "", 1_500],
    [{ "retry-after-ms": "350", "retry-after": "1" }, "", 350],
    [{ "retry-after": "Sat, 21 Nov 2026 10:01:30 GMT", date: now }, "", 90_000],
    [{}, { error: { details: [{ retryDelay: "34s" }] } }, 34_000],
    [{}, { error: { message: "Rate limit reached. Please try again in 6m0.5s." } }, 360_500],
    [{}, { error: { message: "Please try again in 350ms." } }, 350],
    [{}, { error: { message: "Please retry after 30 seconds." } }, 30_000],
    [{}, { error: { message: "Rate limit exceeded. Please wait 12 seconds before retrying." } }, 12_000],
    [{}, { error: { type: "usage_limit_reached", resets_in_seconds: 12_345 } }, 12_345_000],
    [{}, { error: { message: "Slow down", retry_after: "7" } }, 7_000],
  ])("is read from %j and %j", (headers, body, ms) => {
    expect(toModelError(answered(429, body, headers)).retryAfterMs).toBe(ms);
  });

  test("is absent if the provider does not name it, or names a date without its own clock", () => {
    expect(toModelError(answered(429, { error: { message: "Too many requests." } }))).not.toHaveProperty(
      "retryAfterMs",
    );
    expect(toModelError(answered(429, "", { "retry-after": now }))).not.toHaveProperty("retryAfterMs");
  });
});
