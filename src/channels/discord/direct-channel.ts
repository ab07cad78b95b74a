import { z } from "zod";
import type { Delivery, Target } from "../channel.ts";
import type { DiscordContext } from "./account.ts";
import { callDiscord } from "./api.ts";
import { unsentDelivery } from "./errors.ts";

/** Direct channels that were opened, by account and person. */
const opened = new Map<string, string>();
/** Most channels that an isolate remembers. */
const MAX_OPENED = 1000;

const channel = z.object({ id: z.string() });

/**
 * The channel of a destination. A person who has not written yet is named by their own id: their channel is opened,
 * which may be repeated.
 * @returns a delivery that surely was not made, if it cannot be opened
 */
export async function channelIdOf(
  { kind, conversationId, peerId }: Target,
  context: DiscordContext,
  signal: AbortSignal,
): Promise<string | Delivery> {
  if (kind !== "direct" || peerId !== undefined) return conversationId;
  const key = `${context.account.apiBase} ${context.account.botToken.id} ${conversationId}`;
  const known = opened.get(key);
  if (known !== undefined) return known;
  const request = { path: "/users/@me/channels", body: { recipient_id: conversationId } };
  const answer = await callDiscord(context, request, signal);
  const id = answer.kind === "ok" ? channel.safeParse(answer.json).data?.id : undefined;
  if (id === undefined) return unsentDelivery(answer, context.account);
  if (opened.size >= MAX_OPENED) opened.clear();
  opened.set(key, id);
  return id;
}
