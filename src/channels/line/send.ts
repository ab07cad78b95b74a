import { z } from "zod";
import { within } from "../../lib/deadline.ts";
import { log } from "../../lib/log.ts";
import { wholeHead } from "../../lib/text.ts";
import { toHex } from "../../security/hmac.ts";
import type { Addressed, Button, Delivery, OutboundPart } from "../channel.ts";
import { type DeliveryReading, deliveryOf, type PlatformAnswer, STOPPED } from "../platform-call.ts";
import { accessToken, type LineContext, tokenMissing } from "./account.ts";
import { callLine, isMonthlyLimit, problemText, refusalInWords } from "./line-api.ts";
import { quoteTokenOf } from "./quote.ts";

const TYPING_TIMEOUT_MS = 5_000;
const LOADING_SEC = 20;

/** Reply tokens that this isolate has used: each is good for one call, which the first part of an answer makes. */
const usedTokens = new Set<string>();
const MAX_REMEMBERED = 1000;

/**
 * Sends one part: as an answer, which costs nothing, while there is a reply token; else as a push, which LINE carries out
 * once for each delivery, so that a push whose answer was lost is tried again.
 */
export async function sendPart(part: OutboundPart, context: LineContext, signal: AbortSignal): Promise<Delivery> {
  const token = accessToken(context);
  if (token === undefined) return { outcome: "failed", reason: tokenMissing(context.account) };
  if (signal.aborted) return STOPPED;
  const messages = [messageOf(part)];
  if (part.token !== undefined && takeToken(part.token)) {
    const body = { replyToken: part.token, messages };
    const answer = await callLine(context, token, { path: "/v2/bot/message/reply", body }, signal);
    const delivery = toDelivery(answer, context);
    if (delivery.outcome === "retry") usedTokens.delete(part.token);
    if (!isTokenRefused(answer)) return delivery;
  }
  const headers = { "X-Line-Retry-Key": await retryKey(part.deliveryId) };
  const body = { to: part.target.conversationId, messages };
  const pushed = await callLine(context, token, { path: "/v2/bot/message/push", headers, body }, signal);
  const delivery = toDelivery(asOnce(pushed), context);
  return delivery.outcome === "unsure" ? { ...delivery, outcome: "retry", afterMs: PUSH_AGAIN_MS } : delivery;
}

const PUSH_AGAIN_MS = 1_000;

/** Whether a reply token is unused as far as this isolate knows; it counts as used from now on. */
function takeToken(token: string): boolean {
  if (usedTokens.has(token)) return false;
  if (usedTokens.size >= MAX_REMEMBERED) usedTokens.clear();
  usedTokens.add(token);
  return true;
}

function isTokenRefused(answer: PlatformAnswer): boolean {
  return answer.kind === "refused" && answer.status === 400 && /reply token/i.test(answer.description);
}

/** A push under a key that LINE knows was carried out before. */
function asOnce(answer: PlatformAnswer): PlatformAnswer {
  return answer.kind === "refused" && answer.status === 409 ? { kind: "ok", json: answer.json } : answer;
}

const sentMessages = z.object({ sentMessages: z.array(z.object({ id: z.string() })).min(1) });

function toDelivery(answer: PlatformAnswer, { account }: LineContext): Delivery {
  const reading: DeliveryReading = {
    platform: "LINE",
    externalId: (json) => sentMessages.safeParse(json).data?.sentMessages[0]?.id,
    explain: (status, description) => refusalInWords(status, description, account),
  };
  if (answer.kind !== "refused") return deliveryOf(answer, reading);
  const description = problemText(answer);
  // The limit of the month is a 429 as well, and does not pass by waiting.
  const status = isMonthlyLimit(description) ? 400 : answer.status;
  return deliveryOf({ ...answer, status, description }, reading);
}

/** The UUID of a delivery. */
async function retryKey(deliveryId: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(deliveryId)));
  const hex = toHex(digest.slice(0, 16));
  // Version 8 and the variant of RFC 9562.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function messageOf({ text, target, buttons = [] }: OutboundPart): object {
  const quoteToken = quoteTokenOf(target);
  const items = quickReplies(buttons.flat());
  return {
    type: "text",
    text,
    ...(quoteToken !== undefined && { quoteToken }),
    ...(items.length > 0 && { quickReply: { items } }),
  };
}

const MAX_BUTTONS = 13;
const MAX_LABEL_UNITS = 20;
const MAX_DATA_UNITS = 300;

/** Buttons that show their label as the person's words, and give their data back. */
function quickReplies(buttons: readonly Button[]): object[] {
  const fitting = buttons.filter(({ says }) => says !== "" && says.length <= MAX_DATA_UNITS);
  return fitting.slice(0, MAX_BUTTONS).map(({ label, says }) => {
    const shown = wholeHead(label, MAX_LABEL_UNITS);
    return { type: "action", action: { type: "postback", label: shown, displayText: label, data: says } };
  });
}

/** Shows the loading animation, which LINE has in direct conversations only. */
export async function showLoading({ target }: Addressed, context: LineContext): Promise<void> {
  const token = accessToken(context);
  if (token === undefined || target.kind !== "direct") return;
  const body = { chatId: target.conversationId, loadingSeconds: LOADING_SEC };
  const answer = await within(TYPING_TIMEOUT_MS, (signal) =>
    callLine(context, token, { path: "/v2/bot/chat/loading/start", body }, signal),
  );
  if (answer.kind !== "ok") log("debug", "channel.typing_failed", { channel: "line", accountId: context.accountId });
}
