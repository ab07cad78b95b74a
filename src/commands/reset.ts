import type { ResetCommand } from "./command.ts";

/** `/reset [message]`: a new conversation. */
export const reset: ResetCommand = {
  kind: "reset",
  name: "reset",
  summary: "Begin a new conversation with the same model",
  usage: "/reset [message]",
};
