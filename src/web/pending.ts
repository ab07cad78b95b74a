import type { HistoryMessage } from "../client/wire.ts";
import type { Conversation } from "./conversation.ts";

/** A message that a person has sent and whose run has not begun. */
export interface Pending {
  /** Goes with every try, so that all of them are one run. */
  idempotencyKey: string;
  text: string;
  state: PendingState;
}

export type PendingState =
  /** On its way; `afterSeq` is the conversation's cursor at the time. */
  | { type: "sending"; afterSeq: number }
  /** Stored by the server. */
  | { type: "accepted"; runId: string }
  /** Another try would change nothing. */
  | { type: "refused"; message: string };

/** What is left of the pending messages now that the conversation has gone on: begun ones are in the transcript. */
export function settle(pending: readonly Pending[], conversation: Conversation): Pending[] {
  return pending.flatMap((message): Pending[] => {
    if (message.state.type !== "accepted") return [message];
    const { runId } = message.state;
    const isThere = (said: HistoryMessage) =>
      said.role === "user" && (said.runId === runId || said.fromRunId === runId);
    if (conversation.messages.some(isThere)) return [];
    const run = conversation.runs[runId];
    if (run?.state === "done") return [];
    if (run?.state === "failed") return [{ ...message, state: { type: "refused", message: run.error.message } }];
    return [message];
  });
}

/**
 * The pending messages to show. A run's first event can be faster than the answer that names the run; until then the
 * same text, said after it was sent, stands for it.
 */
export function shown(pending: readonly Pending[], conversation: Conversation): Pending[] {
  const claimed = new Set<string>();
  return pending.filter(({ text, state }) => {
    if (state.type !== "sending") return true;
    const twin = conversation.messages.find(
      (said) => said.role === "user" && said.text === text && said.seq > state.afterSeq && !claimed.has(said.id),
    );
    if (twin) claimed.add(twin.id);
    return twin === undefined;
  });
}
