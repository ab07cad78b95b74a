import type { RunError } from "../agent/run-error.ts";
import { isSilent } from "../agent/silent-token.ts";
import { type AssistantMessage, messageText, type Usage } from "../models/message.ts";
import { usdOf } from "../models/price.ts";
import type { Label } from "../security/labels.ts";
import { operationsUsd } from "../services/list-prices.ts";
import type { Operations } from "../services/operations.ts";
import type { OutboxRow } from "./outbox.ts";
import type { DropReason } from "./queue.ts";
import { type Approval, promptsIn, type RunState, type SettledRun } from "./run.ts";
import type { AcceptedRun } from "./run-request.ts";
import type { OpenRun } from "./runs.ts";
import type { SessionRow } from "./session-row.ts";

/** A run as the API shows it. */
export function runView(
  owner: SessionRow,
  row: OpenRun,
  reply: AssistantMessage | undefined,
  deliveries: readonly OutboxRow[],
): RunView {
  return {
    runId: row.id,
    sessionKey: owner.key,
    sessionId: conversationId(row.state) ?? owner.sessionId,
    agentId: owner.agentId,
    acceptedAt: row.acceptedAt,
    ...progress(row.state),
    ...replyOf(reply),
    ...(reply?.labels && { labels: reply.labels }),
    ...lastPrompt(row.state),
    deliveries: deliveries.map(deliveryView),
  };
}

/** What people were told: nothing where the agent chose to be silent. */
function replyOf(reply: AssistantMessage | undefined): Pick<RunView, "reply" | "silent"> {
  if (reply === undefined) return {};
  const text = messageText(reply);
  return isSilent(text) || reply.quietFrom !== undefined ? { silent: true } : { reply: text };
}

function lastPrompt(state: RunState): Pick<RunView, "prompt"> {
  const last = promptsIn(state).at(-1);
  return last === undefined ? {} : { prompt: { hash: last.hash } };
}

function conversationId(state: RunState): string | undefined {
  return "sessionId" in state ? state.sessionId : undefined;
}

function progress(state: RunState) {
  switch (state.status) {
    case "queued":
      return { status: state.status };
    case "running":
      return { status: state.status, startedAt: state.startedAt, ...spent(state.usage) };
    case "waiting_approval": {
      const { status, startedAt, usage, approvals } = state;
      return {
        status,
        startedAt,
        ...spent(usage),
        approvals: approvals.filter((approval) => approval.decision === undefined),
      };
    }
    case "joined":
      return { status: state.status, intoRunId: state.intoRunId, endedAt: state.endedAt };
    case "dropped":
      return { status: state.status, endedAt: state.endedAt, error: droppedError(state.reason) };
    default: {
      const { status, startedAt, endedAt, usage, model, error, operations } = state;
      return {
        status,
        endedAt,
        ...spent(usage),
        ...(operations !== undefined && { operations: { ...operations, dollars: operationsUsd(operations) } }),
        ...(startedAt !== undefined && { startedAt }),
        ...(model !== undefined && { model }),
        ...(error !== undefined && { error }),
      };
    }
  }
}

function spent(usage: Usage) {
  return { usage, ...(usage.costMicros !== undefined && { costUsd: usdOf(usage.costMicros) }) };
}

function droppedError(reason: DropReason): RunError {
  const why = reason === "interrupted" ? "a newer message took its place" : "too many messages waited";
  return { code: "dropped", message: `The message was dropped because ${why}.` };
}

/** A delivery as the API shows it. */
export function deliveryView(row: OutboxRow): DeliveryView {
  const { deliveryId, target, status, attempts, detail } = row;
  const reason = detail && "reason" in detail ? { reason: detail.reason } : {};
  return { deliveryId, channel: target?.channel ?? "unknown", status, attempts, ...reason };
}

/** The answer to a wait; undefined means that the run has not ended yet. */
export function waitResult(settled: SettledRun | undefined): WaitResult {
  if (settled === undefined) return { status: "timeout" };
  const view = progress(settled);
  return {
    status: settled.status === "ok" ? "ok" : "error",
    ...("startedAt" in view && view.startedAt !== undefined && { startedAt: view.startedAt }),
    endedAt: settled.endedAt,
    ...("error" in view && view.error && { error: view.error }),
  };
}
/** A run as the API shows it. Instants are milliseconds since the epoch. */
export interface RunView extends AcceptedRun {
  agentId: string;
  status: RunState["status"];
  startedAt?: number;
  endedAt?: number;
  model?: string;
  usage?: Usage;
  /** Estimated cost of `usage` in US dollars; absent where no model with a price answered. */
  costUsd?: number;
  /** What it used of the platform, and what that costs at list prices in US dollars. */
  operations?: Operations & { dollars: number };
  error?: RunError;
  /** The run that it was merged into. */
  intoRunId?: string;
  /** The calls that wait for approval. */
  approvals?: Approval[];
  /** The last reply. */
  reply?: string;
  /** Whether the agent chose to say nothing. */
  silent?: true;
  /** Where words come from that the reply is made from and that are not the owner's. */
  labels?: readonly Label[];
  /** The last system prompt of its model. */
  prompt?: { hash: string };
  deliveries: DeliveryView[];
}
/** One part of a reply and its delivery. */
export interface DeliveryView {
  deliveryId: string;
  channel: string;
  status: OutboxRow["status"];
  attempts: number;
  reason?: string;
}
/** A delivery that did not arrive, or may not have. */
export interface LostDelivery extends DeliveryView {
  runId: string;
  /** When it was to be sent, in milliseconds since the epoch. */
  askedAt: number;
  conversation: string;
  /** The beginning of its words, without markup. */
  text: string;
}

/** The answer to a wait for a run; `timeout` means that the run had not ended in time. */
export interface WaitResult {
  status: "ok" | "error" | "timeout";
  startedAt?: number;
  endedAt?: number;
  error?: RunError;
}
