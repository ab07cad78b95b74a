import type { QueuedCommand } from "./command.ts";

/** Longest focus, in characters. */
const MAX_FOCUS_CHARS = 2000;

/** `/compact [focus]`: summarizes the older part of the conversation now. */
export const compact: QueuedCommand = {
  kind: "queued",
  name: "compact",
  summary: "Summarize the older part of the conversation",
  usage: "/compact [what matters most]",
  async run(args, port) {
    const outcome = await port.compact(args.slice(0, MAX_FOCUS_CHARS));
    switch (outcome.kind) {
      case "done":
        return `Summarized: about ${tokens(outcome.tokensBefore)} before, ${tokens(outcome.tokensAfter)} now. The history is kept.`;
      case "nothing":
        return "There is nothing to summarize yet: the conversation is short.";
      case "failed":
        return `The conversation could not be summarized and is unchanged: ${outcome.why}`;
    }
  },
};

function tokens(count: number): string {
  return `${Math.round(count).toLocaleString("en-US")} tokens`;
}
