import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { RunError } from "../../agent/run-error.ts";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { httpStatus } from "../errors.ts";

/** The body of every error of the OpenAI routes. */
export const openAiErrorBody = z
  .object({
    error: z.object({
      message: z.string().openapi({ description: "What is wrong, and what to do about it." }),
      type: z.string().openapi({ example: "invalid_request_error" }),
      param: z.string().nullable().openapi({ description: "The field of the request that is wrong." }),
      code: z.string().nullable().openapi({ example: "model_not_found" }),
    }),
  })
  .openapi("OpenAIError");

/** An error in OpenAI's shape. */
export interface OpenAiProblem {
  status: number;
  /**
   * Whether a retry may help. Official clients retry 409, 429 and 5xx by themselves unless `X-Should-Retry` forbids it.
   */
  mayRetry: boolean;
  /** How long to wait before another try; sent as `Retry-After`. */
  retryAfterMs?: number | undefined;
  error: z.infer<typeof openAiErrorBody>["error"];
}

/** Whether the routes of a path answer their errors in OpenAI's shape. */
export function speaksOpenAi(path: string): boolean {
  return /^\/v1\/(?:chat\/completions|responses|models|embeddings)(?:\/|$)/.test(path);
}

/** Turns anything that a route threw into OpenAI's shape with the right status. */
export function onOpenAiError(thrown: Error, c: Context): Response {
  return problemResponse(openAiProblem(thrown, c.req.path), c.res.headers);
}

/** Throws `invalid_request` for a failed validation, naming the first wrong field. */
export function onOpenAiInvalid(result: { success: boolean; error?: z.ZodError }): void {
  const first = result.success ? undefined : result.error?.issues[0];
  if (first === undefined) return;
  const issue = closestIssue(first);
  const param = pathText(issue.path);
  const reason = issue.code === "custom" ? "unsupported_value" : issue.code;
  throw new IsopodError("invalid_request", param === "" ? issue.message : `${param}: ${issue.message}`, undefined, {
    reason,
    ...(param !== "" && { param }),
  });
}

/** For a union, the issue of the alternative that matched the deepest. */
function closestIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const inner = issue.errors.flat().map((one) => closestIssue({ ...one, path: [...issue.path, ...one.path] }));
  const nearest = inner.sort((a, b) => b.path.length - a.path.length)[0];
  return nearest !== undefined && nearest.path.length > issue.path.length ? nearest : issue;
}

/** A thrown error in OpenAI's shape. */
export function openAiProblem(thrown: unknown, path: string): OpenAiProblem {
  if (thrown instanceof IsopodError) {
    const { code, message, hint, details } = thrown;
    const reason = details.reason ?? REASONS[code] ?? code;
    const text = hint === undefined ? message : `${message.replace(/[.!?]?$/, ".")} ${hint}`;
    const retryAfterMs = details.retryAfterSec === undefined ? undefined : details.retryAfterSec * 1000;
    return { ...problem(httpStatus(code), text, reason, details.param, code !== "conflict"), retryAfterMs };
  }
  if (thrown instanceof HTTPException && thrown.status < 500) {
    const message = thrown.status === 413 ? "The body is too large." : thrown.message;
    return problem(thrown.status, message, thrown.status === 413 ? "payload_too_large" : "invalid_request");
  }
  log("error", "http.failed", { path, error: messageOf(thrown) });
  return problem(500, "Something went wrong here. The Worker's log says what.", "internal");
}

/** A run's error in OpenAI's shape. The run has had its retries, so clients must not retry it by themselves. */
export function runProblem({ code, message, refusal }: RunError): OpenAiProblem {
  if (refusal?.kind === "overflow") return problem(400, message, "context_length_exceeded", undefined, false);
  if (refusal !== undefined) {
    const { retryAfterMs } = refusal;
    return { ...problem(429, message, "rate_limit_exceeded", undefined, false), retryAfterMs };
  }
  return problem(RUN_STATUS[code], message, code === "budget" ? "insufficient_quota" : code, undefined, false);
}

/** The response for a problem. */
export function problemResponse({ status, mayRetry, retryAfterMs, error }: OpenAiProblem, headers?: Headers): Response {
  const response = Response.json({ error }, { status });
  for (const [name, value] of headers ?? []) response.headers.set(name, value);
  response.headers.set("Content-Type", "application/json");
  if (retryAfterMs !== undefined) response.headers.set("Retry-After", String(Math.ceil(retryAfterMs / 1000)));
  if (!mayRetry) response.headers.set("X-Should-Retry", "false");
  return response;
}

function problem(status: number, message: string, code: string, param?: string, mayRetry = true): OpenAiProblem {
  return { status, mayRetry, error: { message, type: errorType(status, code), param: param ?? null, code } };
}

function errorType(status: number, code: string): string {
  if (code === "insufficient_quota") return code;
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** OpenAI's codes where they differ from ours. */
const REASONS: Partial<Record<IsopodError["code"], string>> = { unauthorized: "invalid_api_key" };

const RUN_STATUS: Record<RunError["code"], number> = {
  model_error: 502,
  not_configured: 503,
  aborted: 409,
  timeout: 504,
  crash_loop: 500,
  dropped: 409,
  budget: 429,
  loop: 500,
  cancelled: 409,
  internal: 500,
};

/** A path into a body as OpenAI writes it: `messages[0].content`. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${String(part)}`))
    .join("");
}
