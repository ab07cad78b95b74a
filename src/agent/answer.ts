import type { AssistantMessage, Message } from "../models/message.ts";
import { ask } from "./ask.ts";
import type { Loop } from "./journal.ts";

/**
 * Gives the finished reply to a conversation, not stored yet: one attempt of `loop.model`, whose failure is a reply with
 * stop `error`. It never throws for what a model does.
 */
export function answer(loop: Loop, messages: Message[], signal: AbortSignal): Promise<AssistantMessage> {
  return ask(loop, messages, signal);
}
