import type { AnyChannel, Target } from "../channels/channel.ts";
import { type RoutingInput, routedAgentId, routedSessionKey } from "../config/bindings.ts";
import { IsopodError } from "../lib/errors.ts";
import type { Services } from "./services.ts";

/** The place of a conversation that a message is sent to, for routing: in a direct one, the peer is who is written to. */
export function conversationPlace(
  { channel, accountId, kind, conversationId, threadId, peerId = conversationId, spaceId }: Target,
  services: Pick<Services, "channel">,
): Omit<RoutingInput, "owner"> {
  const { threadWord, hasVisitors, hasOwnIds } = traitsOf(channel, accountId, services);
  return {
    ...{ channel, accountId, kind, conversationId, peerId, spaceId },
    ...(threadId !== undefined && { threadId, ...(threadWord && { threadWord }) }),
    ...(hasVisitors && { isVisitor: true }),
    ...(hasOwnIds && { hasOwnIds }),
  };
}

/** The agent that answers a visitor, who is never an owner, and the visitor's session. */
export function visitorSession(
  visitor: Target,
  services: Pick<Services, "channel" | "config">,
): { agentId: string; sessionKey: string } {
  const { config } = services;
  const place = conversationPlace(visitor, services);
  const agentId = routedAgentId(config, place);
  return { agentId, sessionKey: routedSessionKey(config, agentId, { ...place, owner: false }) };
}

/** What a channel makes of its conversations; nothing where it is not configured. */
function traitsOf(
  channelId: string,
  accountId: string,
  { channel }: Pick<Services, "channel">,
): Pick<AnyChannel, "threadWord" | "hasVisitors" | "hasOwnIds"> {
  try {
    return channel(channelId, accountId).channel;
  } catch (error) {
    if (error instanceof IsopodError) return {};
    throw error;
  }
}
