import type { Target } from "../channels/channel.ts";
import { type AssistantMessage, addUsage, NO_USAGE, type ToolCallPart } from "../models/message.ts";
import type { OperationMeter } from "../services/operations.ts";
import { keepInterruptedReply } from "../session-store/delivered-text.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { Fence } from "../session-store/fence.ts";
import { jobWebhookTarget } from "../session-store/job-webhook.ts";
import { interruptedResult } from "../session-store/messages.ts";
import { enqueue, type OutboxPart } from "../session-store/outbox.ts";
import { end, isBegun, type RunState, type SettledRun, usageWith } from "../session-store/run.ts";
import { type Answering, lastEvent, type RunResult } from "../session-store/run-result.ts";
import { type OpenRun, saveState } from "../session-store/runs.ts";
import { sessionTarget } from "../session-store/session-channel.ts";
import { readSessionRow, saveSetting } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import { replyParts } from "../turn/output/reply-parts.ts";
import { scheduledResult } from "../turn/output/scheduled-result.ts";

/** What ending a run depends on. */
export interface EndRunDeps {
  store: Store;
  log: EventLog;
  fence: Fence;
  meter: Pick<OperationMeter, "of">;
  /** Handles the end of a run, within its commit; the row has its earlier state. */
  ended(row: OpenRun, state: SettledRun, reply: AssistantMessage | undefined): void;
  /** Formats a reply for its channel. Never throws. */
  format(target: Target, markdown: string, answering?: Answering): OutboxPart[];
  /** The words of a part, without the channel's markup. Never throws. */
  plainText(part: { target: Target; text: string }): string;
  /** What a conversation has to be told of messages that did not arrive. They count as told. */
  lostNotice(target: Target, runId: string): OutboxPart[];
  now(): number;
}

/**
 * Ends a run in one commit: its last reply, results for unanswered calls, the last event and the outbox parts.
 * @param unanswered calls of its last reply that have no result
 */
export function endRun(
  row: OpenRun,
  given: RunResult,
  unanswered: readonly ToolCallPart[],
  deps: EndRunDeps,
): SettledRun {
  const { store, log, fence, meter, now } = deps;
  const result = toldResult(given, row.state, deps);
  const { status, message, error } = result;
  const parts = replyParts(result, row.target, deps);
  return fence.write(() => {
    for (const call of unanswered) log.append(row.id, interruptedResult(call, now()));
    if (message !== undefined) log.append(row.id, result.isQuiet ? quiet(message, row.state) : message);
    else keepInterruptedReply(store, log, row, now());
    const usage = addUsage(message?.usage ?? NO_USAGE, result.spent ?? NO_USAGE);
    if (result.alert !== undefined) saveSetting(store, "lastAlert", result.alert);
    const endSeq = log.record(row.id, now(), [lastEvent(result, usageWith(row.state, usage))]);
    const operations = meter.of(row.id, now());
    const state = end(row.state, {
      status,
      endedAt: now(),
      endSeq,
      usage,
      ...(message && { model: message.model }),
      ...(error && { error }),
      ...(result.isQuiet && { isQuiet: true as const }),
      ...(operations && { operations }),
    });
    saveState(store, row.id, state);
    const notice = row.target !== null && parts.length > 0 ? deps.lostNotice(row.target, row.id) : [];
    const copies = copiesElsewhere(row.state, result.texts, parts.length > 0);
    enqueue(store, { runId: row.id, parts: [...parts, ...notice, ...copies] }, now());
    deps.ended(row, state, message);
    return state;
  });
}

/** What people are told of the end of a run that the clock started. */
function toldResult(result: RunResult, state: RunState, { store, now }: EndRunDeps): RunResult {
  const origin = isBegun(state) ? state.origin : undefined;
  if (origin?.kind !== "heartbeat" && origin?.kind !== "job") return result;
  const lastAlert = readSessionRow(store)?.settings.lastAlert;
  return scheduledResult(result, origin, { lastAlert, now: now() });
}

/** The last reply of a heartbeat that models do not see later, with all that led to it. */
function quiet(message: AssistantMessage, state: RunState): AssistantMessage {
  return isBegun(state) ? { ...message, quietFrom: state.startSeq } : message;
}

/**
 * What goes elsewhere of what a run in the background says: to the session that owns the conversation which was told,
 * and to a job's webhook.
 */
function copiesElsewhere(state: RunState, texts: readonly string[], isTold: boolean): OutboxPart[] {
  const origin = isBegun(state) ? state.origin : undefined;
  if (origin === undefined || texts.length === 0) return [];
  const text = texts.join("\n\n");
  const ownerKey = "ownerKey" in origin && isTold ? origin.ownerKey : undefined;
  const webhook = origin.kind === "job" ? origin.webhook : undefined;
  return [
    ...(ownerKey === undefined ? [] : [{ target: sessionTarget(ownerKey), text }]),
    ...(webhook === undefined ? [] : [{ target: jobWebhookTarget(webhook), text }]),
  ];
}
