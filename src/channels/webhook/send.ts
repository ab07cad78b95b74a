import { toBase64 } from "../../lib/base64.ts";
import type { JsonObject } from "../../lib/json.ts";
import { signedHeaders } from "../../security/standard-webhooks.ts";
import type { Delivery, OutboundFile, OutboundPart, Target } from "../channel.ts";
import { callPlatform, deliveryOf, STOPPED } from "../platform-call.ts";
import { accountKeys, type WebhookContext } from "./account.ts";

/** Largest file: it is in the request's body, in base64. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Posts a part of a reply to the account's `replyUrl`. */
export function send(part: OutboundPart, context: WebhookContext, signal: AbortSignal): Promise<Delivery> {
  const { target, text, deliveryId } = part;
  return post("agent.message", { ...placeOf(target), text }, deliveryId, context, signal);
}

/** Posts a file in base64. */
export async function sendFile(file: OutboundFile, context: WebhookContext, signal: AbortSignal): Promise<Delivery> {
  const { target, deliveryId, name, mediaType, bytes } = file;
  if (bytes.length > MAX_FILE_BYTES) {
    return { outcome: "failed", reason: `${name} is over ${MAX_FILE_BYTES} bytes, and webhooks carry no larger file.` };
  }
  const content = { name, mediaType, base64: toBase64(bytes) };
  return post("agent.file", { ...placeOf(target), file: content }, deliveryId, context, signal);
}

function placeOf({ conversationId, threadId, replyToId }: Target): JsonObject {
  return {
    conversation: conversationId,
    ...(threadId !== undefined && { thread: threadId }),
    ...(replyToId !== undefined && { replyTo: replyToId }),
  };
}

/** Posts an event, signed with the account's first secret. The delivery's id is its `webhook-id`. */
async function post(
  type: string,
  data: JsonObject,
  deliveryId: string,
  context: WebhookContext,
  signal: AbortSignal,
): Promise<Delivery> {
  const { account, accountId, now } = context;
  const [secret] = accountKeys(context).secrets;
  if (secret === undefined) return { outcome: "failed", reason: `Set ${account.secret.id} to a secret, whsec_….` };
  const { replyUrl } = account;
  if (replyUrl === undefined) {
    const field = `channels.webhook.accounts.${accountId}.replyUrl`;
    return { outcome: "failed", reason: `Nobody gets the reply: set ${field} to the address that takes it.` };
  }
  if (signal.aborted) return STOPPED;
  const body = JSON.stringify({ type, timestamp: new Date(now()).toISOString(), data });
  const headers = {
    "Content-Type": "application/json",
    ...(await signedHeaders(secret, { id: deliveryId, body, now: now() })),
  };
  const encoded = new TextEncoder().encode(body);
  const answer = await callPlatform(context, { url: replyUrl, headers, body: encoded }, signal);
  return deliveryOf(answer, {
    platform: new URL(replyUrl).host,
    externalId: () => deliveryId,
    explain(status, description) {
      if (status === 0) return description;
      if (status !== 401 && status !== 403) return undefined;
      return `The receiver refused the reply: ${description} Compare its secret with ${account.secret.id}.`;
    },
  });
}
