import type { InboundEvent, InboundOutcome } from "../channels/channel.ts";
import { log } from "../lib/log.ts";
import type { OpenChannel } from "../services/services.ts";

/**
 * Answers one webhook request of a platform: 2xx only once what it brings is stored.
 * @param take stores the events; its errors are the caller's, so that the platform sends the request again
 * @param refused makes the answer of a request that the channel refuses
 */
export async function answerWebhook(
  request: Request,
  { channel, context }: OpenChannel,
  take: (events: readonly InboundEvent[]) => Promise<InboundOutcome[]>,
  refused: (response: Response) => Response = (response) => response,
): Promise<Response> {
  // The channel itself answers 405, 413, 401 and 400.
  const received = await channel.receive(request, context);
  if (received.kind === "refused") return refused(received.response);
  const note = (reason: string) =>
    log("info", "channel.ignored", { channel: channel.id, accountId: context.accountId, reason });
  if (received.kind === "answered") {
    note(received.reason);
    return received.response ?? Response.json({ ok: true, ignored: received.reason });
  }
  const outcomes = await take(received.events);
  const reasons = outcomes.flatMap((outcome) => (outcome.kind === "ignored" ? [outcome.reason] : []));
  for (const reason of reasons) note(reason);
  if (received.answer !== undefined) return received.answer(outcomes);
  return Response.json({ ok: true, ...(reasons.length > 0 && { ignored: reasons.join("; ") }) });
}
