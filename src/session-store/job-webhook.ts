import type { Target } from "../channels/channel.ts";

/** The channel id of a job's webhook: the outbox also posts what a job says to an address. */
const JOB_WEBHOOK_CHANNEL = "job-webhook";

/** The target for a job's address. */
export function jobWebhookTarget(url: string): Target {
  return { channel: JOB_WEBHOOK_CHANNEL, accountId: "default", kind: "direct", conversationId: url };
}

/**
 * Whether a target is a job's address. Older rows say `webhook`, which is a channel today; no conversation of that
 * channel is an address.
 */
export function isJobWebhook({ channel, conversationId }: Pick<Target, "channel" | "conversationId">): boolean {
  return channel === JOB_WEBHOOK_CHANNEL || (channel === "webhook" && /^https?:\/\//.test(conversationId));
}
