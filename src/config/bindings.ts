import { defaultAgentId } from "./agents.ts";
import { ownId } from "./own-ids.ts";
import type { CoreConfig } from "./schema.ts";
import { type Route, sessionKeyOf } from "./session-key.ts";

/** The conversation of a message, before routing has chosen the agent that answers. */
export interface RoutingInput extends Omit<Route, "agentId"> {
  /** The server or workspace that the conversation is in, where its platform has such. */
  spaceId?: string | undefined;
  /** Set if other accounts of the channel may have the same ids for others. */
  hasOwnIds?: true;
}

type Binding = CoreConfig["bindings"][number];

/** The agent that answers in a conversation: that of the closest binding, else the default agent. */
export function routedAgentId(
  config: Pick<CoreConfig, "agents" | "bindings">,
  place: Omit<RoutingInput, "owner">,
): string {
  let closest: { agentId: string; rank: number } | undefined;
  for (const { agentId, match } of config.bindings) {
    const rank = closeness(match, place);
    if (rank !== undefined && (closest === undefined || rank > closest.rank)) closest = { agentId, rank };
  }
  return closest?.agentId ?? defaultAgentId(config);
}

/** The session of a conversation. Linked ids count as one person. */
export function routedSessionKey(
  { session }: Pick<CoreConfig, "session">,
  agentId: string,
  place: RoutingInput,
): string {
  const known = place.hasOwnIds ? withOwnIds(place) : place;
  return sessionKeyOf({ ...known, agentId, peerId: linkedPeer(session.identityLinks, known) }, session.dmScope);
}

function withOwnIds(place: RoutingInput): RoutingInput {
  const own = (id: string) => ownId({ accountId: place.accountId, id });
  return { ...place, peerId: own(place.peerId), conversationId: own(place.conversationId) };
}

/** How closely a binding matches, as OpenClaw orders it; undefined where it does not. */
function closeness(match: Binding["match"], place: Omit<RoutingInput, "owner">): number | undefined {
  const { channel, accountId = "default", peer, guildId, teamId } = match;
  if (channel !== place.channel || (accountId !== "*" && accountId !== place.accountId)) return undefined;
  if (peer !== undefined && !isPeer(peer, place)) return undefined;
  if ([guildId, teamId].some((space) => space !== undefined && space !== place.spaceId)) return undefined;
  const levels = [accountId === "*", accountId !== "*", teamId, guildId, peer?.id === "*", peer && peer.id !== "*"];
  return levels.findLastIndex(Boolean);
}

function isPeer({ kind, id }: NonNullable<Binding["match"]["peer"]>, place: Omit<RoutingInput, "owner">): boolean {
  const there = place.kind === "direct" ? place.peerId : place.conversationId;
  return kind === place.kind && (id === "*" || id === there);
}

/** The name under which a person's ids are linked, else the id. */
function linkedPeer(links: CoreConfig["session"]["identityLinks"], { channel, peerId }: RoutingInput): string {
  const linked = Object.entries(links).find(([, ids]) => ids.includes(`${channel}:${peerId}`));
  return linked?.[0] ?? peerId;
}
