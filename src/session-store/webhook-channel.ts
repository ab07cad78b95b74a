import type { Target } from "../channels/channel.ts";

/** The channel id of a job's webhook: the outbox also posts what a job says to an address. */
export const WEBHOOK_CHANNEL = "webhook";

/** The target for an address. */
export function webhookTarget(url: string): Target {
  return { channel: WEBHOOK_CHANNEL, accountId: "default", kind: "direct", conversationId: url };
}
