import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { script } from "./client.ts";
import { openai, refusal } from "./openai-client.ts";

const MODEL = "isopod/main";

/** A model of its own, because a refused one rests for all sessions. */
function by(scenario: string) {
  return { headers: { "x-isopod-model": `fake/${scenario}` } };
}

function chat(scenario: string, client = openai()) {
  return client.chat.completions.create(
    { model: MODEL, messages: [{ role: "user", content: `Hi ${scenario}` }] },
    by(scenario),
  );
}

const LIMITED = {
  status: 429,
  headers: { "retry-after": "42" },
  body: { error: { message: "Rate limit reached for requests", type: "requests", code: "rate_limit_exceeded" } },
};
const LONG = {
  status: 400,
  body: {
    error: {
      message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      type: "invalid_request_error",
      code: "context_length_exceeded",
    },
  },
};

describe("a provider's refusal", () => {
  test("a rate limit is 429 with the time to wait, also while the model rests", async () => {
    await script("limited", [LIMITED]);
    const error = await refusal(chat("limited", openai({ maxRetries: 2 })));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({ code: "rate_limit_exceeded", type: "rate_limit_error" });
    expect(error.message).toContain("Rate limit reached");
    expect(error.headers?.get("retry-after")).toBe("42");
    expect(error.headers?.get("x-should-retry")).toBe("false");
    const again = await refusal(chat("limited"));
    expect(again.status).toBe(429);
    expect(Number(again.headers?.get("retry-after"))).toBeGreaterThan(20);
    expect(Number(again.headers?.get("retry-after"))).toBeLessThanOrEqual(60);
  });

  test("a rate limit during a stream and in a response has OpenAI's code", async () => {
    await script("limited-stream", [LIMITED]);
    const stream = openai().responses.stream({ model: MODEL, input: "x" }, by("limited-stream"));
    const failed = (await stream.finalResponse()) as OpenAI.Responses.Response;
    expect(failed).toMatchObject({ status: "failed", error: { code: "rate_limit_exceeded" } });
    const whole = await refusal(openai().responses.create({ model: MODEL, input: "x" }, by("limited-stream")));
    expect(whole.status).toBe(429);
  });

  test("a request that is too long for the model is 400 context_length_exceeded", async () => {
    await script("too-long", [LONG]);
    const error = await refusal(chat("too-long"));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: "context_length_exceeded", type: "invalid_request_error" });
    expect(error.message).toContain("maximum context length");
  });
});
