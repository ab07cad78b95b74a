import { defaultAgentId } from "./agents.ts";
import type { CoreConfig } from "./schema.ts";
import { type Route, sessionKeyOf } from "./session-key.ts";

/** Where somebody speaks, before it is known which agent answers there. */
export interface Place extends Omit<Route, "agentId"> {
  /** The server or workspace that the conversation is in, where its platform has such. */
  spaceId?: string | undefined;
}

type Binding = CoreConfig["bindings"][number];

/** The agent that answers at a place: that of the binding which matches most closely, else the default one. */
export function agentAt(config: Pick<CoreConfig, "agents" | "bindings">, place: Omit<Place, "owner">): string {
  let closest: { agentId: string; rank: number } | undefined;
  for (const { agentId, match } of config.bindings) {
    const rank = closeness(match, place);
    if (rank !== undefined && (closest === undefined || rank > closest.rank)) closest = { agentId, rank };
  }
  return closest?.agentId ?? defaultAgentId(config);
}

/** The session of an agent that a place belongs to. People who are linked count as one. */
export function sessionAt({ session }: Pick<CoreConfig, "session">, agentId: string, place: Place): string {
  return sessionKeyOf({ ...place, agentId, peerId: linkedPeer(session.identityLinks, place) }, session.dmScope);
}

/** How closely a binding matches, as OpenClaw orders it; undefined where it does not. */
function closeness(match: Binding["match"], place: Omit<Place, "owner">): number | undefined {
  const { channel, accountId = "default", peer, guildId, teamId } = match;
  if (channel !== place.channel || (accountId !== "*" && accountId !== place.accountId)) return undefined;
  if (peer !== undefined && !isPeer(peer, place)) return undefined;
  if ([guildId, teamId].some((space) => space !== undefined && space !== place.spaceId)) return undefined;
  const says = [accountId === "*", accountId !== "*", teamId, guildId, peer?.id === "*", peer && peer.id !== "*"];
  return says.findLastIndex(Boolean);
}

function isPeer({ kind, id }: NonNullable<Binding["match"]["peer"]>, place: Omit<Place, "owner">): boolean {
  const there = place.kind === "direct" ? place.peerId : place.conversationId;
  return kind === place.kind && (id === "*" || id === there);
}

/** The name under which a person's ids are linked, else the id. */
function linkedPeer(links: CoreConfig["session"]["identityLinks"], { channel, peerId }: Place): string {
  const linked = Object.entries(links).find(([, ids]) => ids.includes(`${channel}:${peerId}`));
  return linked?.[0] ?? peerId;
}
