import { fromBase64 } from "../../lib/base64.ts";
import { log } from "../../lib/log.ts";
import { byteLength } from "../../lib/text.ts";
import { decryptCbc } from "../../security/aes-cbc.ts";
import { fromHex } from "../../security/hmac.ts";
import { digestEqual, secretEqual } from "../../security/secret-equal.ts";
import type { ReceiveResult } from "../channel.ts";
import { announcesTooMuch, ignore, parseJson, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import type { FeishuContext } from "./account.ts";
import { type FeishuCall, type FeishuEvent, readCall } from "./event.ts";
import { receiveMessage, receivePress, receiveRecall } from "./inbound.ts";

/** Feishu repeats an event for about seven hours; it does not say whether with the first time or a new one. */
const REPEATED_MS = 8 * 60 * 60 * 1000;
/** How far Feishu's clock may be ahead. */
const AHEAD_MS = 5 * 60 * 1000;

/** Parses one call of the webhook. */
export async function receive(request: Request, context: FeishuContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  if (announcesTooMuch(request)) return refuseSize();
  const { encryptKey, verificationToken } = secrets(context);
  if (encryptKey === undefined && verificationToken === undefined) return refuseUnconfigured(context);
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  if (encryptKey !== undefined && !(await isProven(encryptKey, request, body, context))) {
    return refuse("unauthorized", "The signature is wrong.");
  }
  const call = await open(body, encryptKey);
  if ("problem" in call) return refuse("invalid_request", call.problem);
  if (verificationToken !== undefined && !(await secretEqual(call.token ?? "", verificationToken))) {
    return refuse("unauthorized", "The Verification Token is wrong.");
  }
  if (call.content.kind === "challenge") {
    const response = Response.json({ challenge: call.content.challenge });
    return { kind: "answered", reason: "the handshake", response };
  }
  const event = call.content.read();
  if ("problem" in event) return refuse("invalid_request", `Not an event of Feishu: ${event.problem}`);
  return receiveEvent(event, context);
}

function receiveEvent(event: FeishuEvent, context: FeishuContext): ReceiveResult | Promise<ReceiveResult> {
  switch (event.type) {
    case "im.message.receive_v1":
      return receiveMessage(event.event, context);
    case "im.message.recalled_v1":
      return receiveRecall(event.event, context);
    case "card.action.trigger":
      return receivePress(event.eventId, event.event);
    case "other":
      return ignore(event.reason);
  }
}

function secrets({ account, secret }: FeishuContext) {
  return { encryptKey: secret(account.encryptKey), verificationToken: secret(account.verificationToken) };
}

function refuseUnconfigured({ accountId, account }: FeishuContext): ReceiveResult {
  log("error", "channel.not_configured", { channel: "feishu", accountId, variable: account.encryptKey.id });
  return refuse("unauthorized", "The signature is wrong.");
}

/** Whether a call comes from Feishu. The handshake is not signed: that it can be decrypted proves it. */
async function isProven(encryptKey: string, request: Request, body: Uint8Array, context: FeishuContext) {
  if (request.headers.has("X-Lark-Signature")) return isSignedWith(encryptKey, request, body, context);
  const call = await open(body, encryptKey);
  return !("problem" in call) && call.isEncrypted && call.content.kind === "challenge";
}

/**
 * Whether a call is signed: with SHA-256 over time, nonce, key and the raw body.
 * @see https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/encrypt-key-encryption-configuration-case
 */
async function isSignedWith(
  encryptKey: string,
  { headers }: Request,
  body: Uint8Array,
  { now }: FeishuContext,
): Promise<boolean> {
  const timestamp = headers.get("X-Lark-Request-Timestamp") ?? "";
  const ageMs = now() - Number(timestamp) * 1000;
  if (!/^\d+$/.test(timestamp) || ageMs > REPEATED_MS || ageMs < -AHEAD_MS) return false;
  const head = `${timestamp}${headers.get("X-Lark-Request-Nonce") ?? ""}${encryptKey}`;
  const signed = new Uint8Array(byteLength(head) + body.length);
  new TextEncoder().encodeInto(head, signed);
  signed.set(body, byteLength(head));
  const expected = new Uint8Array(await crypto.subtle.digest("SHA-256", signed));
  return digestEqual(fromHex(headers.get("X-Lark-Signature") ?? ""), expected);
}

/** The call in a body, decrypted if it is encrypted; or why there is none. */
async function open(
  body: Uint8Array,
  encryptKey: string | undefined,
): Promise<(FeishuCall & { isEncrypted: boolean }) | { problem: string }> {
  const json = parseJson(body);
  if (typeof json !== "object" || json === null) return { problem: "The body is not a JSON object." };
  const encrypted: unknown = Reflect.get(json, "encrypt");
  const isEncrypted = encrypted !== undefined;
  if (isEncrypted && encryptKey === undefined) return { problem: "It is encrypted, and no Encrypt Key is set." };
  const plain = isEncrypted ? await decrypted(String(encrypted), encryptKey ?? "") : json;
  if (plain === undefined) return { problem: "It cannot be decrypted: compare the Encrypt Key." };
  const call = readCall(plain);
  return call === undefined ? { problem: "Not a call of Feishu's." } : { ...call, isEncrypted };
}

/** The first block is the initialization vector; the key is the digest of the Encrypt Key. */
async function decrypted(encrypted: string, encryptKey: string): Promise<unknown> {
  const bytes = fromBase64(encrypted);
  if (bytes === undefined) return undefined;
  const key = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(encryptKey)));
  const plain = await decryptCbc(key, bytes.slice(0, 16), bytes.slice(16));
  return plain && parseJson(plain);
}
