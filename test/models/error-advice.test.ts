import { expect, test } from "vitest";
import { explained } from "../../src/models/error-advice.ts";
import type { ModelError } from "../../src/models/message.ts";

const access = { baseUrl: "https://api.anthropic.com/v1", keyName: "ANTHROPIC_API_KEY", isKeySent: true };
const model = { ref: "anthropic/claude-x", access };

function told(error: Partial<ModelError>, of: Parameters<typeof explained>[1] = model): string {
  return explained({ kind: "other", message: "", ...error }, of).message;
}

test("a refused key is named, with where to put a valid one", () => {
  expect(told({ kind: "auth", message: "invalid x-api-key" })).toBe(
    "anthropic refuses the key in ANTHROPIC_API_KEY: invalid x-api-key. Put a valid key into ANTHROPIC_API_KEY, or choose another model with /model; then /retry.",
  );
});

test("a server that was asked without a key is told apart from one that refuses it", () => {
  const bare = { ref: "lab/m", access: { baseUrl: "http://127.0.0.1/v1", isKeySent: false } };
  expect(told({ kind: "auth", message: "Unauthorized" }, bare)).toMatch(
    /^lab was asked without a key: Unauthorized\. .*models\.providers\.lab\.apiKey/,
  );
});

test("every kind of failure names the provider, keeps its words and says what to do", () => {
  const kinds: ModelError["kind"][] = ["overloaded", "rate_limit", "auth", "billing", "timeout", "format", "other"];
  for (const kind of kinds)
    expect(told({ kind, message: "Words" })).toMatch(/^anthropic .*: Words\. .*\/(?:retry|model)/);
});

test("a rate limit says when it ends", () => {
  expect(told({ kind: "rate_limit", message: "Slow down", retryAfterMs: 19_500 })).toContain("/retry in 20 s");
  expect(told({ kind: "rate_limit", message: "Slow down", retryAfterMs: 3_600_000 })).toContain("/retry in 60 minutes");
});

test("an unknown model is told as one", () => {
  expect(told({ status: 404, message: "no such model (asked at https://a.test)" })).toMatch(
    /^anthropic does not have anthropic\/claude-x: no such model \(asked at https:\/\/a\.test\) Check its name/,
  );
});

test("a reply that was stopped here keeps its words", () => {
  expect(told({ message: "The model's answer was too long and was stopped.", isFinal: true })).toBe(
    "The model's answer was too long and was stopped.",
  );
});
