import type { ReplyToMode, Target } from "../../channels/channel.ts";
import type { Answering } from "../../session-store/run-result.ts";

/**
 * Where the parts of a text go: the first one as a native reply where that was asked for, or is the account's way, and the
 * others beside it. Pure.
 * @param target with the message at hand in `replyToId`
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
