import { z } from "zod";
import { log } from "../../lib/log.ts";
import type { ReceiveResult } from "../channel.ts";
import { frameSignature, isFrameSignature, openFrame, sealFrame } from "../framed-cipher.ts";
import { refuse } from "../webhook.ts";
import type { DingtalkContext } from "./account.ts";

const sealed = z.object({ encrypt: z.string().min(1) });
const event = z.object({ EventType: z.string() });

/**
 * Answers an event of the app's subscription, its verification (`check_url`) above all. No message comes this way.
 * @see https://open.dingtalk.com/document/orgapp/configure-event-subcription
 */
export async function answerEvent(
  json: unknown,
  query: URLSearchParams,
  { accountId, account, secret, now }: DingtalkContext,
  windowMs: number,
): Promise<ReceiveResult> {
  const [token, aesKey, clientId] = [account.token, account.aesKey, account.clientId].map((ref) => secret(ref));
  if (token === undefined || aesKey === undefined || clientId === undefined) {
    log("error", "channel.not_configured", { channel: "dingtalk", accountId, variable: account.token.id });
    return refuse("unauthorized", "The signature is wrong.");
  }
  const encrypted = sealed.safeParse(json).data?.encrypt ?? "";
  const [timestamp, nonce] = [query.get("timestamp") ?? "", query.get("nonce") ?? ""];
  const signature = query.get("msg_signature") ?? query.get("signature") ?? "";
  const isRecent = /^\d+$/.test(timestamp) && Math.abs(now() - Number(timestamp)) <= windowMs;
  if (!isRecent || !(await isFrameSignature(signature, [token, timestamp, nonce, encrypted]))) {
    return refuse("unauthorized", "The signature is wrong.");
  }
  const frame = await openFrame(aesKey, encrypted);
  if (frame === undefined) return refuse("invalid_request", "It cannot be decrypted: compare the aes_key.");
  if (frame.receiver !== clientId) return refuse("unauthorized", "It is for another app.");
  const encrypt = (await sealFrame(aesKey, { message: "success", receiver: clientId })) ?? "";
  const msg_signature = await frameSignature([token, timestamp, nonce, encrypt]);
  return {
    kind: "answered",
    reason: `an event ${eventType(frame.message)}`,
    response: Response.json({ msg_signature, timeStamp: timestamp, nonce, encrypt }),
  };
}

function eventType(message: string): string {
  try {
    return event.safeParse(JSON.parse(message)).data?.EventType ?? "";
  } catch {
    return "that is not JSON";
  }
}
