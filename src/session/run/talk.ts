import type { Target } from "../../channels/channel.ts";
import type { RunInput } from "./run.ts";

/**
 * Who talks where, with which rights and which model, as one text. Messages share a run only where this is equal: else
 * a reply would go astray, or a stranger's words would be acted on with an owner's tools.
 */
export function talkOf(input: RunInput, target: Target | null): string {
  const where = target && [target.channel, target.accountId, target.conversationId, target.threadId ?? ""];
  return JSON.stringify([where, input.sender?.owner === true, input.model ?? "", input.thinking ?? ""]);
}
