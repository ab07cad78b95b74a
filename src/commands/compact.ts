import type { QueuedCommand } from "./command.ts";

/** Most characters of what a summary is to be about. */
const MAX_FOCUS_CHARS = 2000;

/** `/compact [focus]`: has the older part of the conversation summarized now. */
export const compact: QueuedCommand = {
  kind: "queued",
  name: "compact",
  summary: "Summarize the older part of our conversation, to make room",
  usage: "/compact [what matters most]",
  async run(args, port) {
    const outcome = await port.compact(args.slice(0, MAX_FOCUS_CHARS));
    switch (outcome.kind) {
      case "done":
        return `Summarized: about ${tokens(outcome.tokensBefore)} before, ${tokens(outcome.tokensAfter)} now. The history stays.`;
      case "nothing":
        return "There is nothing to summarize yet: our conversation is short.";
      case "failed":
        return `The conversation could not be summarized, and stays as it was: ${outcome.why}`;
    }
  },
};

function tokens(count: number): string {
  return `${Math.round(count).toLocaleString("en-US")} tokens`;
}
