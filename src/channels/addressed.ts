import type { Addressed, InboundMessage } from "./channel.ts";

type Answered = Pick<InboundMessage, "sender" | "conversation" | "messageId" | "via" | "replyContext" | "replyToken">;

/** The conversation of a message as a destination, with the channel's token as it came. */
export function addressedBy(
  { sender, conversation, messageId, via, replyContext, replyToken }: Answered,
  channel: string,
  accountId: string,
): Addressed {
  const { kind, id: conversationId, threadId, parentId, spaceId } = conversation;
  const isOtherPeer = kind === "direct" && sender.id !== conversationId;
  return {
    target: {
      ...{ channel, accountId, kind, conversationId },
      ...(threadId !== undefined && { threadId }),
      ...(isOtherPeer && { peerId: sender.id }),
      ...(parentId !== undefined && { parentId }),
      ...(spaceId !== undefined && { spaceId }),
      replyToId: messageId,
      ...(via !== undefined && { via }),
      ...(replyContext && { replyContext }),
    },
    ...(replyToken && { token: replyToken.value }),
  };
}
