import type { Addressed, InboundMessage } from "./channel.ts";

type Answered = Pick<InboundMessage, "conversation" | "messageId" | "via" | "replyContext" | "replyToken">;

/** The conversation of a message as a destination, with the channel's token as it came. */
export function addressedBy(
  { conversation, messageId, via, replyContext, replyToken }: Answered,
  channel: string,
  accountId: string,
): Addressed {
  const { kind, id: conversationId, threadId } = conversation;
  return {
    target: {
      ...{ channel, accountId, kind, conversationId },
      ...(threadId !== undefined && { threadId }),
      replyToId: messageId,
      ...(via !== undefined && { via }),
      ...(replyContext && { replyContext }),
    },
    ...(replyToken && { token: replyToken.value }),
  };
}
