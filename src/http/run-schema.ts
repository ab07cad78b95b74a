import { z } from "@hono/zod-openapi";

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

/** The error of a failed run. */
export const runError = z
  .object({
    code: z.string(),
    message: z.string(),
    refusal: z
      .object({ kind: z.enum(["rate_limit", "overflow"]), retryAfterMs: z.int().optional() })
      .optional()
      .openapi({ description: "The model's provider refused the request for its rate, or for its length." }),
  })
  .openapi("RunError");

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

/** A tool call that waits for approval. */
const pendingApproval = z
  .object({
    id: z.string(),
    callId: z.string(),
    tool: z.string(),
    args: z.record(z.string(), z.any()),
    question: z.string(),
    requestedAt: z.int(),
    grant: z
      .object({
        tool: z.string(),
        programs: z.array(z.string()).readonly().optional(),
        hosts: z.array(z.string()).readonly().optional(),
        conversations: z.array(z.string()).readonly().optional(),
      })
      .optional()
      .openapi({ description: "What `allow-always` would allow in this session; absent where it allows this once." }),
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
      description: "`unsure`: it was sent and may or may not have arrived; it is not sent again automatically.",
    }),
    attempts: z.int(),
    reason: z.string().optional(),
  })
  .openapi("Delivery");

/** Deliveries that did not arrive, or may not have. */
export const lostDeliveries = z.object({
  deliveries: z.array(
    deliveryView
      .extend({
        runId: z.string(),
        askedAt: z.int().openapi({ description: "When it was to be sent, in milliseconds since the epoch." }),
        conversation: z.string(),
        text: z.string().openapi({ description: "The beginning of its words." }),
      })
      .openapi("LostDelivery"),
  ),
});

export type LostDeliveries = z.infer<typeof lostDeliveries>;

/** What a run used of the platform. */
const operations = z
  .object({
    rowsRead: z.int().openapi({ description: "Rows of the session's own database." }),
    rowsWritten: z.int(),
    d1Requests: z.int(),
    d1RowsRead: z.int(),
    d1RowsWritten: z.int(),
    r2Writes: z.int().openapi({ description: "Class A: writes and listings." }),
    r2Reads: z.int().openapi({ description: "Class B." }),
    objectMs: z.int().openapi({ description: "How long the session's object worked on it." }),
    dollars: z.number().openapi({
      description:
        "At Cloudflare's list prices beyond what a plan includes, with the request, without its CPU time and the models.",
    }),
  })
  .openapi("Operations", {
    description:
      "Counted from the acceptance of a message that began at once, else from the last time that the run began or went " +
      "on, to when the lists have it; to its end only, if another run has begun by then.",
  });

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
    operations: operations.optional(),
    error: runError.optional(),
    intoRunId: z.string().optional().openapi({ description: "The run that it was merged into and ends with." }),
    approvals: z.array(pendingApproval).optional().openapi({ description: "The calls that wait for approval." }),
    reply: z.string().optional().openapi({ description: "The text that the run ended on." }),
    silent: z.literal(true).optional().openapi({ description: "The agent chose to say nothing." }),
    prompt: z
      .object({ hash: z.string().openapi({ description: "SHA-256 of its text." }) })
      .optional()
      .openapi({ description: "The system prompt of its last model call: GET /v1/runs/{id}/prompt." }),
    deliveries: z.array(deliveryView),
  })
  .openapi("Run");

export type Accepted = z.infer<typeof accepted>;
export type Decision = z.infer<typeof decision>;
export type Run = z.infer<typeof runView>;
