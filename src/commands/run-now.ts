import { NO_USAGE } from "../models/message.ts";
import type { NewRun } from "../session-store/admission.ts";
import type { EventLog } from "../session-store/event-log.ts";
import { mergeKeyOf } from "../session-store/merge-key.ts";
import { commandAnswer, userMessage } from "../session-store/messages.ts";
import { enqueue, type Part } from "../session-store/outbox.ts";
import { insertRun, type RunRow } from "../session-store/runs.ts";
import type { Store } from "../session-store/store.ts";

/** Dependencies of `recordCommand`, which runs in a fenced transaction. */
export interface RecordCommandDeps {
  store: Store;
  log: EventLog;
  /** The current conversation. */
  sessionId: string;
  now: number;
  /** The answer, split and formatted for its channel. */
  parts: readonly Part[];
}

/**
 * Records a completed command and its answer as a finished run. People see both in the transcript, models see neither.
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
