import { z } from "zod";
import type { InboundEvent, InboundOutcome } from "../channels/channel.ts";
import type { DiscordContext } from "../channels/discord/account.ts";
import { callDiscord } from "../channels/discord/api.ts";
import { firstAnswer } from "../channels/discord/first-answer.ts";
import { type GatewayLookups, readGatewayEvent } from "../channels/discord/gateway-event.ts";
import { gatewayLookups, type LookupMemory } from "../channels/discord/gateway-lookups.ts";
import type { GatewayFrame } from "../channels/discord/gateway-protocol.ts";
import { readInteraction } from "../channels/discord/interaction.ts";
import { type InboundDeps, receiveEvents } from "../inbound/receive-events.ts";
import { within } from "../lib/deadline.ts";
import { log } from "../lib/log.ts";
import type { OpenChannel } from "../services/services.ts";

/** Discord takes the answer to an interaction for three seconds. */
const ANSWER_MS = 3000;

/** Dependencies of `takeGatewayEvent`. */
export interface GatewayEventDeps extends Pick<InboundDeps, "services" | "database" | "env" | "waitUntil"> {
  open: OpenChannel & { context: DiscordContext };
  known: Pick<GatewayLookups, "botId" | "earlier">;
  memory: LookupMemory;
}

const answered = z.object({ id: z.string(), token: z.string() });

/**
 * Takes up an event of the Gateway. The same event again is the same run.
 * @returns what sessions were told of
 * @throws ZodError for an event that is not of the documented form, and what `receiveEvents` throws
 */
export async function takeGatewayEvent(
  { t, d }: GatewayFrame,
  { open, known, memory, ...deps }: GatewayEventDeps,
): Promise<readonly InboundEvent[]> {
  const { context } = open;
  const { publicUrl } = context;
  const inbound: InboundDeps = { ...deps, ...(publicUrl !== undefined && { origin: publicUrl }) };
  const take = (events: readonly InboundEvent[]) => receiveEvents(events, open, inbound);
  if (t === "INTERACTION_CREATE") return takeInteraction(d, context, take);
  const received = await readGatewayEvent(t ?? "", d, gatewayLookups(known, context, memory));
  if (received.kind !== "events") return [];
  await take(received.events);
  return received.events;
}

/** Interactions come over the Gateway as long as the application names no address for them. */
async function takeInteraction(
  data: unknown,
  context: DiscordContext,
  take: (events: readonly InboundEvent[]) => Promise<InboundOutcome[]>,
): Promise<readonly InboundEvent[]> {
  const { id, token } = answered.parse(data);
  const read = readInteraction(data, context.now());
  if (read.kind === "invalid") throw new Error(read.problem);
  const events = read.kind === "message" ? [read.message] : [];
  const [outcome] = await take(events);
  const path = `/interactions/${id}/${encodeURIComponent(token)}/callback`;
  const request = { path, body: firstAnswer(read, outcome, context), interactionToken: token };
  const answer = await within(ANSWER_MS, (signal) => callDiscord(context, request, signal));
  if (answer.kind !== "ok") log("warn", "gateway.unanswered", { channel: "discord", kind: read.kind });
  return events;
}
