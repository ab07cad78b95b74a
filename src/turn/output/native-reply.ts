import type { ReplyToMode, Target } from "../../channels/channel.ts";
import type { Answering } from "../../session-store/run-result.ts";

/**
 * The targets of a text's parts: the first is a native reply if it was requested or is the account's default, the
 * others are not.
 * @param target its `replyToId` is the message that the run answers
 */
export function replyTargets(
  target: Target,
  mode: ReplyToMode,
  { replyTo, isFirst }: Answering,
): { first: Target; rest: Target } {
  const { replyToId: current, ...rest } = target;
  const isImplied = mode === "all" || (mode === "first" && isFirst);
  const id = typeof replyTo === "object" ? replyTo.id : replyTo === "current" || isImplied ? current : undefined;
  const first = id === undefined ? rest : { ...rest, replyToId: id };
  return { first, rest: mode === "all" ? first : rest };
}
