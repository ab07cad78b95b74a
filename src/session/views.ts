import { type AssistantMessage, textOf } from "../models/message.ts";
import type { DeliveryView, RunView, WaitResult } from "./api.ts";
import type { OutboxRow } from "./outbox.ts";
import type { EndedRun, RunState } from "./run.ts";
import type { RunRow } from "./runs.ts";
import type { SessionRow } from "./session-row.ts";

/** A run as the outside sees it. */
export function runView(
  owner: SessionRow,
  row: RunRow,
  reply: AssistantMessage | undefined,
  deliveries: readonly OutboxRow[],
): RunView {
  return {
    runId: row.id,
    sessionKey: owner.key,
    sessionId: owner.sessionId,
    agentId: owner.agentId,
    acceptedAt: row.acceptedAt,
    ...progress(row.state),
    ...(reply !== undefined && { reply: textOf(reply) }),
    deliveries: deliveries.map(deliveryView),
  };
}

function progress(state: RunState) {
  switch (state.status) {
    case "queued":
      return { status: state.status };
    case "running":
      return { status: state.status, startedAt: state.startedAt, usage: state.usage };
    default: {
      const { status, startedAt, endedAt, usage, model, error } = state;
      return {
        status,
        endedAt,
        usage,
        ...(startedAt !== undefined && { startedAt }),
        ...(model !== undefined && { model }),
        ...(error !== undefined && { error }),
      };
    }
  }
}

function deliveryView(row: OutboxRow): DeliveryView {
  const { deliveryId, target, status, attempts, detail } = row;
  const reason = detail !== null && "reason" in detail ? { reason: detail.reason } : {};
  return { deliveryId, channel: target.channel, status, attempts, ...reason };
}

/** How a wait came out that saw the end of its run, or did not. */
export function waitResult(ended: EndedRun | undefined): WaitResult {
  if (ended === undefined) return { status: "timeout" };
  const { status, startedAt, endedAt, error } = ended;
  return {
    status: status === "ok" ? "ok" : "error",
    ...(startedAt !== undefined && { startedAt }),
    endedAt,
    ...(error && { error }),
  };
}
