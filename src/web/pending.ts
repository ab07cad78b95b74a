import type { HistoryMessage } from "../client/wire.ts";
import type { Conversation } from "./conversation.ts";

/** A sent message whose run has not begun. */
export interface Pending {
  /** Sent with every try, so that all tries are one run. */
  idempotencyKey: string;
  text: string;
  state: PendingState;
}

export type PendingState =
  /** Not accepted yet; `afterSeq` is the conversation's cursor when it was sent. */
  | { type: "sending"; afterSeq: number }
  /** Stored by the server. */
  | { type: "accepted"; runId: string }
  /** Another try would be refused too. */
  | { type: "refused"; message: string };

/** The messages that are still pending: those whose run has begun are in the transcript. */
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
 * The pending messages to show. A run's first event can arrive before the answer that names the run. Until then, the
 * same text in the transcript, after the cursor at sending, is taken for the message.
 */
export function visiblePending(pending: readonly Pending[], conversation: Conversation): Pending[] {
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
