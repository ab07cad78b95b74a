import { log } from "../../lib/log.ts";
import type { ReceiveResult } from "../channel.ts";
import { type Frame, isFrameSignature, openFrame } from "../framed-cipher.ts";
import { announcesTooMuch, readWebhookBody, refuse, refuseSize } from "../webhook.ts";
import type { WecomContext } from "./account.ts";
import { receiveFields } from "./inbound.ts";
import { readXmlFields } from "./xml.ts";

/** WeCom names no window; it repeats a call within seconds. */
const WINDOW_MS = 60 * 60 * 1000;

/** Parses one call of the message receiver: its verification with GET, or a message with POST. */
export async function receive(request: Request, context: WecomContext): Promise<ReceiveResult> {
  if (request.method !== "GET" && request.method !== "POST") {
    return refuse("method_not_allowed", "A webhook is called with POST, and verified with GET.", {
      Allow: "GET, POST",
    });
  }
  if (announcesTooMuch(request)) return refuseSize();
  const keys = receiverKeys(context);
  if (keys === undefined) return refuse("unauthorized", WRONG);
  const query = new URL(request.url).searchParams;
  if (request.method === "GET") {
    const frame = await open(query.get("echostr")?.replaceAll(" ", "+") ?? "", query, keys, context);
    if ("kind" in frame) return frame;
    // Nothing but the text may be in the answer.
    const response = new Response(frame.message, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
    return { kind: "answered", reason: "the verification", response };
  }
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  const encrypted = readXmlFields(new TextDecoder().decode(body))?.get("Encrypt");
  if (encrypted === undefined) return refuse("invalid_request", "The body has no encrypted message.");
  const frame = await open(encrypted, query, keys, context);
  if ("kind" in frame) return frame;
  const fields = readXmlFields(frame.message);
  if (fields === undefined) return refuse("invalid_request", "The message is not XML as WeCom sends it.");
  return receiveFields(fields, keys);
}

const WRONG = "The signature is wrong.";

/** What the message receiver is configured with. */
interface ReceiverKeys {
  token: string;
  aesKey: string;
  corpId: string;
  agentId: string | undefined;
}

function receiverKeys({ accountId, account, secret }: WecomContext): ReceiverKeys | undefined {
  const [token, aesKey, corpId] = [account.token, account.encodingAesKey, account.corpId].map((ref) => secret(ref));
  if (token !== undefined && aesKey !== undefined && corpId !== undefined) {
    return { token, aesKey, corpId, agentId: secret(account.agentId) };
  }
  const missing = [account.token, account.encodingAesKey, account.corpId].find((ref) => secret(ref) === undefined);
  log("error", "channel.not_configured", { channel: "wecom", accountId, variable: missing?.id });
  return undefined;
}

/** Decrypts a message after its signature is verified. */
async function open(
  encrypted: string,
  query: URLSearchParams,
  { token, aesKey, corpId }: ReceiverKeys,
  { now }: WecomContext,
): Promise<Frame | ReceiveResult> {
  const [timestamp, nonce] = [query.get("timestamp") ?? "", query.get("nonce") ?? ""];
  const ageMs = now() - Number(timestamp) * 1000;
  const isRecent = /^\d+$/.test(timestamp) && Math.abs(ageMs) <= WINDOW_MS;
  const signature = query.get("msg_signature") ?? "";
  if (!isRecent || !(await isFrameSignature(signature, [token, timestamp, nonce, encrypted]))) {
    return refuse("unauthorized", WRONG);
  }
  const frame = await openFrame(aesKey, encrypted);
  if (frame === undefined) return refuse("invalid_request", "It cannot be decrypted: compare the EncodingAESKey.");
  return frame.receiver === corpId ? frame : refuse("unauthorized", "It is for another company.");
}
