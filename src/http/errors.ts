import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ErrorCode, type ErrorDetails, IsopodError, messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { WorkspaceError, type WorkspaceErrorCode } from "../workspace/workspace.ts";

const STATUS: Record<ErrorCode, ContentfulStatusCode> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  upgrade_required: 426,
  precondition_required: 428,
  rate_limited: 429,
  internal: 500,
  not_configured: 503,
  unavailable: 503,
};

/** The body of every error. */
export const errorBody = z
  .object({
    error: z.object({
      code: z.string().openapi({ example: "not_found" }),
      message: z.string().openapi({ description: "What is wrong." }),
      hint: z.string().optional().openapi({ description: "What to do about it." }),
      faults: z
        .array(z.object({ path: z.string(), message: z.string() }))
        .optional()
        .openapi({ description: "The wrong fields of a configuration." }),
      currentRevision: z
        .int()
        .optional()
        .openapi({ description: "With `precondition_failed` of a configuration: the current revision." }),
      retryAfterSec: z.int().optional().openapi({ description: "With `rate_limited`: when to try again, in seconds." }),
      oldestCursor: z.int().optional().openapi({ description: "With `gone`: the oldest valid cursor." }),
    }),
  })
  .openapi("Error");

export type ErrorBody = z.infer<typeof errorBody>;

/** The HTTP status of an error code. */
export function httpStatus(code: ErrorCode): ContentfulStatusCode {
  return STATUS[code];
}

/** Turns anything that a route threw into `{error: {code, message, hint?}}` with the right status. */
export function onError(error: Error, c: Context): Response {
  if (error instanceof IsopodError) return answer(c, error.code, error.message, error.hint, error.details);
  if (error instanceof HTTPException) return fromHttpException(c, error);
  log("error", "http.failed", { path: c.req.path, error: messageOf(error) });
  return answer(c, "internal", "Something went wrong here.", "The Worker's log says what.");
}

/** Throws `invalid_request` for a failed validation, naming the fields. */
export function onInvalid(result: { success: boolean; error?: z.ZodError }): void {
  if (result.success || result.error === undefined) return;
  throw new IsopodError("invalid_request", z.prettifyError(result.error), "See /openapi.json for what is accepted.");
}

function answer(
  c: Context,
  code: ErrorCode,
  message: string,
  hint: string | undefined,
  details: ErrorDetails = {},
): Response {
  return c.json({ error: { code, message, ...(hint !== undefined && { hint }), ...details } }, STATUS[code]);
}

/** The answer to an error that Hono itself throws. */
function fromHttpException(c: Context, error: HTTPException): Response {
  if (error.status === 413) return answer(c, "payload_too_large", "The body is too large.", undefined);
  if (error.status === 415) return answer(c, "unsupported_media_type", error.message, undefined);
  if (error.status >= 500) return answer(c, "internal", "Something went wrong here.", undefined);
  return answer(c, "invalid_request", error.message, undefined);
}

const WORKSPACE_CODES: Record<Exclude<WorkspaceErrorCode, "conflict">, ErrorCode> = {
  bad_path: "invalid_request",
  not_found: "not_found",
  too_large: "payload_too_large",
  bad_range: "range_not_satisfiable",
  unavailable: "unavailable",
};

/**
 * Runs `work` and turns a workspace's error into one of HTTP. A conflict is 412 for a conditional request, else 409.
 * @throws IsopodError
 */
export async function withWorkspaceErrors<T>(work: () => Promise<T>, isConditional = false): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof WorkspaceError)) throw thrown;
    const { code, message } = thrown;
    if (code !== "conflict") throw new IsopodError(WORKSPACE_CODES[code], message);
    throw isConditional
      ? new IsopodError("precondition_failed", message, "Read it again, and send its ETag as If-Match.")
      : new IsopodError("conflict", message, "Try again.");
  }
}
