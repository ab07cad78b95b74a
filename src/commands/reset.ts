import type { ResetCommand } from "./command.ts";

/** `/reset [message]`: starts a new conversation; the first word is never a model. */
export const reset: ResetCommand = {
  kind: "reset",
  name: "reset",
  summary: "Start a new conversation, with an optional first message",
  usage: "/reset [message]",
};

/** `/new [model] [message]`: starts a new conversation, with another model if one is named. */
export const newConversation: ResetCommand = {
  kind: "reset",
  name: "new",
  summary: "Start a new conversation",
  usage: "/new [model] [message]",
};
