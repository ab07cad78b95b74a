import { z } from "zod";
import type { Delivery, Reaction } from "../channel.ts";
import { type PlatformAnswer, STOPPED } from "../platform-call.ts";
import { botToken, isTimestamp, type SlackContext, withoutToken } from "./account.ts";
import { emojiName } from "./emoji.ts";
import { callSlack, toDelivery } from "./web-api.ts";

/** Most names of reactions that are looked at for the agent's own. */
const MAX_NAMES = 23;

/** Adds a reaction, or removes the agent's. */
export async function react(reaction: Reaction, context: SlackContext, signal: AbortSignal): Promise<Delivery> {
  const { target, messageId, emoji } = reaction;
  const token = botToken(context);
  if (token === undefined) return withoutToken(context);
  if (signal.aborted) return STOPPED;
  if (!isTimestamp(messageId)) return { outcome: "failed", reason: `'${messageId}' is no id of a message.` };
  const at = { channel: target.conversationId, timestamp: messageId };
  if (emoji === "") return removeOwn(at, context, token, signal);
  const name = emojiName(emoji);
  if (name === undefined) {
    return {
      outcome: "failed",
      reason: `Slack has no emoji '${emoji}' that is known here: use its name, as in :tada:.`,
    };
  }
  const answer = await callSlack(context, token, "reactions.add", { ...at, name }, signal);
  return isError(answer, "already_reacted") ? { outcome: "delivered" } : toDelivery(answer, context);
}

const reacted = z.object({
  message: z.object({ reactions: z.array(z.object({ name: z.string() })).default([]) }),
});

/** Slack removes reactions by name, and only the agent's own. */
async function removeOwn(
  at: { channel: string; timestamp: string },
  context: SlackContext,
  token: string,
  signal: AbortSignal,
): Promise<Delivery> {
  const found = await callSlack(context, token, "reactions.get", at, signal);
  if (found.kind !== "ok") return toDelivery(found, context);
  const names = reacted.safeParse(found.json).data?.message.reactions ?? [];
  for (const { name } of names.slice(0, MAX_NAMES)) {
    const answer = await callSlack(context, token, "reactions.remove", { ...at, name }, signal);
    if (answer.kind !== "ok" && !isError(answer, "no_reaction")) return toDelivery(answer, context);
  }
  return { outcome: "delivered" };
}

function isError(answer: PlatformAnswer, error: string): boolean {
  return answer.kind === "refused" && answer.description === error;
}
