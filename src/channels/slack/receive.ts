import { joinBytes } from "../../lib/join-bytes.ts";
import { log } from "../../lib/log.ts";
import { fromHex, isHmac } from "../../security/hmac.ts";
import type { ReceiveResult } from "../channel.ts";
import { announcesTooMuch, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import { botToken, type SlackContext, tokenMissing } from "./account.ts";
import { receiveEvent } from "./inbound.ts";
import { receiveCommand, receivePress } from "./interaction.ts";
import { readPayload, type SlackPayload } from "./payload.ts";

/** How old or far ahead a signature may be. */
const WINDOW_SECONDS = 5 * 60;

/** Receives events, slash commands and presses, which come to the same address. */
export async function receive(request: Request, context: SlackContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  if (announcesTooMuch(request)) return refuseSize();
  const signature = readSignature(request, context);
  if (signature === undefined) return refuse("unauthorized", "The signature is missing, or too old.");
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  if (!(await isSigned(body, signature))) return refuse("unauthorized", "The signature is wrong.");
  return receivePayload(readPayload(body), context);
}

interface Signature {
  secret: string;
  timestamp: string;
  bytes: Uint8Array | undefined;
}

/** What a request is signed with; undefined without a configured secret, and outside of Slack's window. */
function readSignature({ headers }: Request, context: SlackContext): Signature | undefined {
  const { accountId, account, secret: read, now } = context;
  const secret = read(account.signingSecret);
  if (!secret) {
    log("error", "channel.not_configured", { channel: "slack", accountId, variable: account.signingSecret.id });
    return undefined;
  }
  const timestamp = headers.get("X-Slack-Request-Timestamp") ?? "";
  const signature = headers.get("X-Slack-Signature") ?? "";
  if (!/^\d{1,12}$/.test(timestamp) || !signature.startsWith("v0=")) return undefined;
  if (Math.abs(Math.floor(now() / 1000) - Number(timestamp)) > WINDOW_SECONDS) return undefined;
  return { secret, timestamp, bytes: fromHex(signature.slice("v0=".length)) };
}

/** @see https://docs.slack.dev/authentication/verifying-requests-from-slack */
function isSigned(body: Uint8Array, { secret, timestamp, bytes }: Signature): Promise<boolean> {
  return isHmac("SHA-256", secret, joinBytes([new TextEncoder().encode(`v0:${timestamp}:`), body]), bytes);
}

/** Without a token nothing could be answered, so Slack is asked to try again; its handshake comes before there is one. */
function receivePayload(payload: SlackPayload, context: SlackContext): ReceiveResult {
  switch (payload.kind) {
    case "invalid":
      return refuse("invalid_request", `Not a request of Slack's: ${payload.problem}`);
    case "handshake":
      return { kind: "answered", reason: "a handshake", response: new Response(payload.challenge) };
    case "other":
      return receiveOther(payload, context);
  }
  if (botToken(context) === undefined) return refuse("unavailable", tokenMissing(context.account));
  switch (payload.kind) {
    case "message":
      return receiveEvent(payload.event, payload.installation, context.account);
    case "command":
      return receiveCommand(payload.command, context);
    case "press":
      return receivePress(payload.press, context);
  }
}

function receiveOther(
  { reason, isLoss }: SlackPayload & { kind: "other" },
  { accountId }: SlackContext,
): ReceiveResult {
  if (isLoss) log("warn", "channel.events_lost", { channel: "slack", accountId, reason });
  return { kind: "answered", reason, response: new Response() };
}
