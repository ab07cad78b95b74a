import type { Delivery, OutboundPart } from "../channels/channel.ts";
import { messageOf } from "../lib/errors.ts";
import { signedHeaders } from "../security/standard-webhooks.ts";
import type { Services } from "../services/services.ts";

const TIMEOUT_MS = 20_000;
const RETRY_MS = 30_000;

/**
 * Posts what a job says to its address, through the egress guard and signed after Standard Webhooks: the id stays the
 * same when it is posted again.
 * @see https://www.standardwebhooks.com
 */
export async function postWebhook(
  { target, text, deliveryId }: OutboundPart,
  { config, egress, secret }: Pick<Services, "config" | "egress" | "secret">,
  now: number,
): Promise<Delivery> {
  const { webhookToken } = config.cron;
  const key = webhookToken && secret(webhookToken.id);
  if (!key) return { outcome: "failed", reason: "cron.webhookToken names no secret, and nothing is posted unsigned." };
  const body = JSON.stringify({ type: "job.said", timestamp: new Date(now).toISOString(), data: { text } });
  const headers = {
    "Content-Type": "application/json",
    ...(await signedHeaders(key, { id: deliveryId, body, now })),
  };
  try {
    const init = { method: "POST", headers, body, maxRedirects: 0, timeoutMs: TIMEOUT_MS };
    const { status } = await egress(target.conversationId, init);
    if (status >= 200 && status < 300) return { outcome: "delivered" };
    const reason = `The webhook answered ${status}.`;
    return status === 429 || status >= 500
      ? { outcome: "retry", afterMs: RETRY_MS, reason }
      : { outcome: "failed", reason };
  } catch (error) {
    // The receiver knows a repeated post by its id.
    return { outcome: "retry", afterMs: RETRY_MS, reason: messageOf(error) };
  }
}
