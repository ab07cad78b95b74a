import type { ResetCommand } from "./command.ts";

/** `/new [model] [message]`: starts a new conversation, with another model if one is named. */
export const newConversation: ResetCommand = {
  kind: "reset",
  name: "new",
  summary: "Start a new conversation",
  usage: "/new [model] [message]",
};
