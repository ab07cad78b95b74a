import { HTTPException } from "hono/http-exception";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunError } from "../../../src/agent/run-error.ts";
import {
  onOpenAiInvalid,
  openAiProblem,
  problemResponse,
  runProblem,
  speaksOpenAi,
} from "../../../src/http/openai/errors.ts";
import { IsopodError } from "../../../src/lib/errors.ts";

describe("an error in OpenAI's shape", () => {
  test("has the message and the hint in one text", () => {
    const thrown = new IsopodError("not_found", "There is no such thing", "Look elsewhere.", { param: "model" });
    expect(openAiProblem(thrown, "/")).toMatchObject({
      status: 404,
      error: { message: "There is no such thing. Look elsewhere.", type: "invalid_request_error", param: "model" },
    });
  });

  test("does not expose internal errors", () => {
    const problem = openAiProblem(new Error("password=hunter2"), "/v1/models");
    expect([problem.status, JSON.stringify(problem)]).toEqual([500, expect.not.stringContaining("hunter2")]);
    expect(problem.error.type).toBe("server_error");
    expect(openAiProblem(new HTTPException(413), "/")).toMatchObject({
      status: 413,
      error: { code: "payload_too_large" },
    });
  });

  test("of a run has a fitting status and tells clients not to retry", () => {
    const statusOf = (code: RunError["code"]) => runProblem({ code, message: "x" }).status;
    expect(statusOf("model_error")).toBe(502);
    expect(statusOf("timeout")).toBe(504);
    expect(statusOf("aborted")).toBe(409);
    const budget = runProblem({ code: "budget", message: "That is all for today." });
    expect(budget).toMatchObject({ status: 429, mayRetry: false, error: { type: "insufficient_quota" } });
    expect(problemResponse(budget).headers.get("X-Should-Retry")).toBe("false");
    const busy = openAiProblem(new IsopodError("unavailable", "Busy."), "/");
    expect(problemResponse(busy).headers.get("X-Should-Retry")).toBeNull();
  });

  test("names the wrong field of the closest union alternative", () => {
    const schema = z.object({
      messages: z.array(z.object({ content: z.union([z.string(), z.array(z.object({ text: z.string() }))]) })),
    });
    const paramOf = (body: unknown) => {
      try {
        onOpenAiInvalid(schema.safeParse(body));
      } catch (error) {
        return error instanceof IsopodError ? error.details.param : undefined;
      }
      return undefined;
    };
    expect(paramOf({ messages: [{ content: "x" }, { content: [{ text: "x" }, { text: 7 }] }] })).toBe(
      "messages[1].content[1].text",
    );
    expect(paramOf({ messages: [{ content: 7 }] })).toBe("messages[0].content");
    expect(paramOf({ messages: [] })).toBeUndefined();
  });
});

test("only the OpenAI routes answer errors in OpenAI's shape", () => {
  const paths = ["/v1/models", "/v1/models/isopod/main", "/v1/chat/completions", "/v1/responses/resp_1/cancel"];
  expect(paths.every(speaksOpenAi)).toBe(true);
  expect(["/v1/agent", "/v1/chat", "/v1/modelsx", "/models"].some(speaksOpenAi)).toBe(false);
});
