import { z } from "@hono/zod-openapi";
import { objectNameOfRun } from "../config/session-ids.ts";
import { IsopodError } from "../lib/errors.ts";

export type { AgentEvent } from "../agent/events.ts";

/** What `POST /agent` answers: the message is stored, and its run has begun or waits. */
export const accepted = z
  .object({
    runId: z.string(),
    sessionKey: z.string(),
    sessionId: z.string(),
    acceptedAt: z.int().openapi({ description: "Milliseconds since the epoch." }),
  })
  .openapi("Accepted");

/** Why a run did not end well. */
export const runError = z.object({ code: z.string(), message: z.string() }).openapi("RunError");

/** Tokens of a run. */
export const usage = z
  .object({
    input: z.int(),
    output: z.int(),
    cacheRead: z.int(),
    cacheWrite: z.int(),
    reasoning: z.int(),
    costMicros: z.int().optional().openapi({ description: "Estimated cost in millionths of a US dollar." }),
  })
  .openapi("Usage");

const runStatus = z.enum([
  "queued",
  "running",
  "waiting_approval",
  "ok",
  "error",
  "aborted",
  "timeout",
  "joined",
  "dropped",
]);

/** A tool call that waits for a person's word. */
const pendingApproval = z
  .object({
    id: z.string(),
    callId: z.string(),
    tool: z.string(),
    args: z.record(z.string(), z.any()),
    question: z.string(),
    requestedAt: z.int(),
  })
  .openapi("PendingApproval");

/** What a person can decide about a tool call that waits. */
export const decision = z.enum(["allow-once", "allow-always", "deny"]);

/** One part of a reply on its way to a channel. */
export const deliveryView = z
  .object({
    deliveryId: z.string(),
    channel: z.string(),
    status: z.enum(["pending", "sending", "delivered", "failed", "unsure"]).openapi({
      description: "`unsure`: it was sent and nobody knows whether it arrived; it is not sent again by itself.",
    }),
    attempts: z.int(),
    reason: z.string().optional(),
  })
  .openapi("Delivery");

/** A run as it stands. */
export const runView = z
  .object({
    runId: z.string(),
    sessionKey: z.string(),
    sessionId: z.string(),
    agentId: z.string(),
    status: runStatus,
    acceptedAt: z.int(),
    startedAt: z.int().optional(),
    endedAt: z.int().optional(),
    model: z.string().optional(),
    usage: usage.optional(),
    costUsd: z.number().optional().openapi({ description: "Estimated cost; absent where no model's price is known." }),
    error: runError.optional(),
    intoRunId: z.string().optional().openapi({ description: "The run that it joined, and whose end is its end." }),
    approvals: z.array(pendingApproval).optional().openapi({ description: "The calls that wait for a person." }),
    reply: z.string().optional().openapi({ description: "The text that the run ended on." }),
    prompt: z
      .object({ hash: z.string().openapi({ description: "SHA-256 of its text." }) })
      .optional()
      .openapi({ description: "The system prompt that its model was sent last: GET /v1/runs/{id}/prompt." }),
    deliveries: z.array(deliveryView),
  })
  .openapi("Run");

export type Accepted = z.infer<typeof accepted>;
export type Decision = z.infer<typeof decision>;
export type Run = z.infer<typeof runView>;

/**
 * The name of the object that a run is in.
 * @throws IsopodError `not_found` where the text cannot be a run's id
 */
export function runIdOf(runId: string): string {
  const objectName = objectNameOfRun(runId);
  if (objectName === undefined) {
    throw new IsopodError(
      "not_found",
      `There is no run '${runId.slice(0, 80)}'`,
      "Use the runId that POST /v1/agent answered.",
    );
  }
  return objectName;
}
