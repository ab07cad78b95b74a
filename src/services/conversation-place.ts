import type { Target } from "../channels/channel.ts";
import type { RoutingInput } from "../config/bindings.ts";
import { IsopodError } from "../lib/errors.ts";
import type { Services } from "./services.ts";

/** The place of a conversation that a message is sent to, for routing: in a direct one, the peer is who is written to. */
export function conversationPlace(
  { channel, accountId, kind, conversationId, threadId, peerId = conversationId, spaceId }: Target,
  services: Pick<Services, "channel">,
): Omit<RoutingInput, "owner"> {
  const place = { channel, accountId, kind, conversationId, peerId, spaceId };
  if (threadId === undefined) return place;
  const threadWord = threadWordOf(channel, accountId, services);
  return { ...place, threadId, ...(threadWord && { threadWord }) };
}

/** Undefined also where the channel is not configured. */
function threadWordOf(channelId: string, accountId: string, { channel }: Pick<Services, "channel">) {
  try {
    return channel(channelId, accountId).channel.threadWord;
  } catch (error) {
    if (error instanceof IsopodError) return undefined;
    throw error;
  }
}
