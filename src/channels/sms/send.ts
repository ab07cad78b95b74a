import { z } from "zod";
import type { Delivery, OutboundPart, Target } from "../channel.ts";
import { deliveryOf, refusedIf, STOPPED } from "../platform-call.ts";
import { credentials, type SmsContext, senderOf, settingsMissing } from "./account.ts";
import { DELIVERY_PARAMETER } from "./receive.ts";
import { accountUrl, callTwilio, type TwilioAnswer } from "./twilio-api.ts";
import { codeInWords } from "./twilio-error.ts";

const sentMessage = z.object({ sid: z.string() });
const failedMessage = z.object({
  status: z.enum(["failed", "undelivered"]),
  error_code: z.int().nullish(),
  error_message: z.string().nullish(),
});

/** Sends one part. `deliveryId` is in the address for statuses: Twilio's API has no idempotency key. */
export async function sendPart(part: OutboundPart, context: SmsContext, signal: AbortSignal): Promise<Delivery> {
  const found = credentials(context);
  const sender = senderOf(context, part.target.via);
  if (found === undefined || sender === undefined) {
    return { outcome: "failed", reason: settingsMissing(context.account) };
  }
  if (signal.aborted) return STOPPED;
  const statusUrl = statusAddress(part.target, part.deliveryId, context);
  const form = {
    To: part.target.conversationId,
    ...sender,
    Body: part.text,
    ...(statusUrl !== undefined && { StatusCallback: statusUrl }),
  };
  const url = accountUrl(context, found, "/Messages");
  return toDelivery(await callTwilio(context, found, { url, form }, signal));
}

/** Codes of limits on how fast an account may send, or of a full queue: nothing was sent. */
const TOO_FAST: ReadonlySet<number> = new Set([14107, 20429, 21611, 30001, 30022]);

function toDelivery(answer: TwilioAnswer): Delivery {
  const code = "code" in answer ? answer.code : undefined;
  const timed = answer.kind === "refused" && TOO_FAST.has(code ?? 0) ? { ...answer, status: 429 } : answer;
  const read = refusedIf(timed, (json) => {
    const failed = failedMessage.safeParse(json).data;
    return (
      failed && { status: 400, description: codeInWords(failed.error_code ?? Number.NaN, failed.error_message ?? "") }
    );
  });
  return deliveryOf(read, {
    platform: "Twilio",
    externalId: (json) => sentMessage.safeParse(json).data?.sid,
    explain: (_, description) => (code === undefined ? undefined : codeInWords(code, description)),
  });
}

/** Where Twilio sends the statuses of a message; undefined where it could not reach the Worker. */
function statusAddress(
  { origin }: Target,
  deliveryId: string,
  { account, accountId, publicUrl }: SmsContext,
): string | undefined {
  const host = publicUrl ?? origin;
  const known = account.webhookUrl ?? (host && `${host}/channels/sms/${encodeURIComponent(accountId)}/webhook`);
  if (!known?.startsWith("https:")) return undefined;
  const url = new URL(known);
  url.searchParams.set(DELIVERY_PARAMETER, deliveryId);
  return url.href;
}
