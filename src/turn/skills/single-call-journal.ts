import type { Journal } from "../../agent/journal.ts";

/**
 * A run's journal for a loop without a model: it shows nothing but what belongs to the run, nobody joins, and nothing is
 * summarized.
 * @param since when the run began, in milliseconds since the epoch
 */
export function loneJournal(journal: Journal, since: number): Journal {
  const context = () => journal.context().filter(({ at }) => at >= since);
  return {
    context,
    view() {
      const messages = context();
      return { messages, pinned: 0, countedFrom: messages.length, isFull: false };
    },
    interruptedAsks: 0,
    wasLaunched: (callId) => journal.wasLaunched(callId),
    restarting: () => false,
    answered: (message) => journal.answered(message),
    launching: (calls) => journal.launching(calls),
    returned: (message) => journal.returned(message),
    hasPendingInput: () => false,
    takePendingInput: () => undefined,
    verdictOn: (callId) => journal.verdictOn(callId),
    allowedArgs: (callId) => journal.allowedArgs(callId),
    pausing: (questions) => journal.pausing(questions),
    pruned: () => undefined,
    compacting: () => undefined,
    compacted: () => undefined,
    notCompacted: () => undefined,
    isFlushDue: false,
    flushReplies: undefined,
    flushing: () => undefined,
    flushed: () => undefined,
  };
}
