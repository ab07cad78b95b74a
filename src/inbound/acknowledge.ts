import { addressedBy } from "../channels/addressed.ts";
import type { InboundMessage } from "../channels/channel.ts";
import { within } from "../lib/deadline.ts";
import { log } from "../lib/log.ts";
import type { Config, OpenChannel } from "../services/services.ts";

const REACT_TIMEOUT_MS = 5000;

type MessagesConfig = Pick<Config["messages"], "ackReaction" | "ackReactionScope">;

/**
 * Reacts to a stored message with the configured emoji, else with the agent's own, where `ackReactionScope` includes it.
 * Never rejects; idempotent.
 * @param own the agent's emoji, if it has one
 */
export async function acknowledge(
  message: InboundMessage,
  { channel, context }: OpenChannel,
  { ackReaction, ackReactionScope: scope }: MessagesConfig,
  own = "",
): Promise<void> {
  const { reactions, id } = channel;
  const emoji = ackReaction === "" ? own : ackReaction;
  if (emoji === "" || reactions === undefined || !isInScope(scope, message)) return;
  if (reactions.level(context.account) === "off") return;
  const reaction = { ...addressedBy(message, id, context.accountId), messageId: message.messageId, emoji };
  const delivery = await within(REACT_TIMEOUT_MS, (signal) => reactions.react(reaction, context, signal));
  if (delivery.outcome !== "delivered") log("debug", "message.not_acknowledged", { channel: id, ...delivery });
}

function isInScope(scope: MessagesConfig["ackReactionScope"], { conversation, mentioned }: InboundMessage): boolean {
  if (scope === "all" || scope === "off") return scope === "all";
  if (conversation.kind === "direct") return scope === "direct";
  return scope === "group-all" || (scope === "group-mentions" && mentioned);
}
