import type { Target } from "../channel.ts";

/** The `via` of an answer: the message that it may quote, and LINE's token for that. */
export function quotable(messageId: string, quoteToken: string): string {
  return `${messageId} ${quoteToken}`;
}

/** The token to quote the message that a target replies to; undefined where it replies to none, or to another one. */
export function quoteTokenOf({ replyToId, via = "" }: Pick<Target, "replyToId" | "via">): string | undefined {
  const [messageId, quoteToken] = via.split(" ");
  return replyToId !== undefined && replyToId === messageId ? quoteToken : undefined;
}
