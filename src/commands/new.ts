import type { ResetCommand } from "./command.ts";

/** `/new [model] [message]`: a new conversation, with another model where one is named. */
export const newConversation: ResetCommand = {
  kind: "reset",
  name: "new",
  summary: "Begin a new conversation",
  usage: "/new [model] [message]",
};
