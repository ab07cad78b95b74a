import { NO_USAGE } from "../models/message.ts";
import type { NewRun } from "../session-store/admission.ts";
import type { EventLog } from "../session-store/event-log.ts";
import { mergeKeyOf } from "../session-store/merge-key.ts";
import { commandAnswer, userMessage } from "../session-store/messages.ts";
import { enqueue, type Part } from "../session-store/outbox.ts";
import { insertRun, type RunRow } from "../session-store/runs.ts";
import type { Store } from "../session-store/store.ts";

/** What recording a command is written with, within the fence. */
export interface RecordCommandDeps {
  store: Store;
  log: EventLog;
  /** The conversation that goes on. */
  sessionId: string;
  now: number;
  /** The answer, cut and marked up for the channel that it goes to. */
  parts: readonly Part[];
}

/**
 * Records a command that was carried out, and its answer, as a run that is over: people see both in the transcript,
 * models do not.
 */
export function recordCommand(
  run: NewRun,
  answer: string,
  { store, log, sessionId, now, parts }: RecordCommandDeps,
): RunRow {
  const { runId: id, input, target, idempotencyKey, inputDigest } = run;
  const answered = commandAnswer(answer, now);
  const startSeq = log.append(id, { ...userMessage(input, now), aside: true });
  log.append(id, answered);
  const endSeq = log.record(id, now, [{ type: "lifecycle", phase: "end", usage: NO_USAGE }]);
  const state = {
    status: "ok",
    startedAt: now,
    startSeq,
    sessionId,
    endedAt: now,
    endSeq,
    model: answered.model,
    usage: NO_USAGE,
  } as const;
  const row: RunRow = {
    id,
    idempotencyKey,
    inputDigest,
    target,
    open: true,
    state,
    input: null,
    mergeKey: mergeKeyOf(input, target),
    acceptedAt: now,
    firstSeq: startSeq,
  };
  insertRun(store, row);
  enqueue(store, { runId: id, parts }, now);
  return row;
}
