import { newId } from "../lib/ids.ts";
import type { AssistantMessage, UserMessage } from "../models/message.ts";
import { NO_USAGE } from "../models/message.ts";
import type { NewRun } from "./admission.ts";
import type { EventLog } from "./event-log.ts";
import { enqueueReply } from "./outbox.ts";
import { insertRun, type RunRow } from "./runs.ts";
import type { Store } from "./store.ts";
import { talkOf } from "./talk.ts";

/** The "model" that answers commands. */
const ANSWERER = "isopod/commands";

/** What recording a command is written with, within the fence. */
export interface CommandRecordRoom {
  store: Store;
  log: EventLog;
  now: number;
  /** The answer, cut and marked up for the channel that it goes to. */
  parts: readonly string[];
}

/**
 * Records a command that was carried out, and its answer, as a run that is over: people see both in the transcript,
 * models do not.
 */
export function recordCommand(run: NewRun, answer: string, { store, log, now, parts }: CommandRecordRoom): RunRow {
  const { runId: id, input, target, idempotencyKey } = run;
  const head = () => ({ id: newId("msg", now), at: now, aside: true as const });
  const asked: UserMessage = {
    ...head(),
    role: "user",
    text: input.text,
    ...(input.sender && { sender: input.sender }),
  };
  const answered: AssistantMessage = {
    ...head(),
    role: "assistant",
    parts: [{ type: "text", text: answer }],
    stop: "stop",
    usage: NO_USAGE,
    model: ANSWERER,
  };
  const startSeq = log.append(id, asked);
  log.append(id, answered);
  const endSeq = log.record(id, now, [{ type: "lifecycle", phase: "end", usage: NO_USAGE }]);
  const state = {
    status: "ok",
    startedAt: now,
    startSeq,
    endedAt: now,
    endSeq,
    model: ANSWERER,
    usage: NO_USAGE,
  } as const;
  const row: RunRow = {
    id,
    idempotencyKey,
    target,
    open: true,
    state,
    input: null,
    talk: talkOf(input, target),
    acceptedAt: now,
    firstSeq: startSeq,
  };
  insertRun(store, row);
  if (target !== null) enqueueReply(store, id, target, parts, now);
  return row;
}
