import { within } from "../../lib/deadline.ts";
import { digestOf } from "../../lib/digest.ts";
import { log } from "../../lib/log.ts";
import { head } from "../../lib/text.ts";
import type { Addressed, Buttons, Delivery, OutboundPart, Target } from "../channel.ts";
import { callPlatform, type PlatformAnswer, STOPPED } from "../platform-call.ts";
import { botToken, isSlackAddress, isTimestamp, type SlackContext, withoutToken } from "./account.ts";
import { callSlack, toDelivery } from "./web-api.ts";

const STATUS_TIMEOUT_MS = 5_000;

/**
 * Sends one part. The `response_url` of a command is used as long as Slack takes it: five times within half an hour.
 *
 * Slack documents the errors of `client_msg_id`, by which it knows a message again, and not the argument itself. So it
 * spares people doubles, but a message whose answer was lost is `unsure` all the same.
 */
export async function sendPart(part: OutboundPart, context: SlackContext, signal: AbortSignal): Promise<Delivery> {
  const { target, token: responseUrl, text, buttons, deliveryId } = part;
  const token = botToken(context);
  if (token === undefined) return withoutToken(context);
  if (signal.aborted) return STOPPED;
  const message = {
    ...{ text, unfurl_links: false, unfurl_media: false },
    ...(buttons && { blocks: [...sections(text), ...actions(buttons)] }),
  };
  if (responseUrl !== undefined && isSlackAddress(responseUrl, context.account)) {
    const answer = await respond(responseUrl, message, context, signal);
    if (!isUsedUp(answer)) return toDelivery(answer, context);
  }
  const args = { ...placeOf(target), ...message, client_msg_id: await uuidOf(deliveryId) };
  return toDelivery(await callSlack(context, token, "chat.postMessage", args, signal), context);
}

function respond(url: string, message: object, context: SlackContext, signal: AbortSignal): Promise<PlatformAnswer> {
  const body = { ...message, response_type: "ephemeral", replace_original: false };
  return callPlatform(context, { url, body, secrets: [url] }, signal);
}

function isUsedUp(answer: PlatformAnswer): boolean {
  return answer.kind === "refused" && answer.status >= 400 && answer.status < 500 && answer.status !== 429;
}

/** Where a message is posted: what answers one member alone, in that member's DM; else in the thread that it belongs to. */
function placeOf({ conversationId, threadId, replyToId, via }: Target): { channel: string; thread_ts?: string } {
  if (via !== undefined) return { channel: via };
  const thread = threadId ?? (isTimestamp(replyToId) ? replyToId : undefined);
  return { channel: conversationId, ...(thread !== undefined && { thread_ts: thread }) };
}

/** A UUID of a text, always the same one. */
async function uuidOf(text: string): Promise<string> {
  const hex = await digestOf("SHA-256", new TextEncoder().encode(text));
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, "$1-$2-8$3-8$4-$5");
}

/** Slack's limits of a section's text, and of a button's label and value. */
const MAX_SECTION_UNITS = 3000;
const MAX_LABEL_UNITS = 75;
const MAX_VALUE_UNITS = 2000;

/** A message with blocks shows these alone. */
function sections(text: string): object[] {
  const shown: object[] = [];
  for (let rest = text; rest !== ""; ) {
    const fits = head(rest, MAX_SECTION_UNITS);
    const line = fits.length < rest.length ? fits.lastIndexOf("\n") + 1 : 0;
    const part = line > 0 ? fits.slice(0, line) : fits;
    shown.push({ type: "section", text: { type: "mrkdwn", text: part, verbatim: true } });
    rest = rest.slice(part.length);
  }
  return shown;
}

function actions(buttons: Buttons): object[] {
  return buttons.map((row, y) => ({
    type: "actions",
    elements: row.map(({ label, says }, x) => ({
      type: "button",
      action_id: `says-${y}-${x}`,
      text: { type: "plain_text", text: head(label, MAX_LABEL_UNITS) },
      value: head(says, MAX_VALUE_UNITS),
    })),
  }));
}

/** Shows that the agent works, in the thread that its answer goes to. Slack has nothing for what is no thread. */
export async function showStatus({ target }: Addressed, context: SlackContext): Promise<void> {
  const token = botToken(context);
  const { conversationId, replyToId, via } = target;
  const threadId = target.threadId ?? (context.account.replyToMode === "off" ? undefined : replyToId);
  if (token === undefined || via !== undefined || !isTimestamp(threadId)) return;
  const args = { channel_id: conversationId, thread_ts: threadId, status: "is thinking…" };
  const answer = await within(STATUS_TIMEOUT_MS, (signal) =>
    callSlack(context, token, "assistant.threads.setStatus", args, signal),
  );
  if (answer.kind !== "ok") log("debug", "channel.typing_failed", { channel: "slack", accountId: context.accountId });
}
