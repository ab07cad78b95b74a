import { fromBase64 } from "../../lib/base64.ts";
import { log } from "../../lib/log.ts";
import { isHmac } from "../../security/hmac.ts";
import type { ReceiveResult } from "../channel.ts";
import { announcesTooMuch, parseJson, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import type { DingtalkContext } from "./account.ts";
import { answerEvent } from "./events.ts";
import { receiveMessage } from "./inbound.ts";
import { readMessage } from "./message.ts";

/** DingTalk's own window. */
const WINDOW_MS = 60 * 60 * 1000;

/** Parses one call of the webhook: a robot's message, or an event of the app's subscription. */
export async function receive(request: Request, context: DingtalkContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  if (announcesTooMuch(request)) return refuseSize();
  const query = new URL(request.url).searchParams;
  const isEvent = query.has("msg_signature") || query.has("signature");
  if (!isEvent && !(await isSigned(request, context))) return refuse("unauthorized", "The sign is wrong.");
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  const json = parseJson(body);
  if (isEvent) return answerEvent(json, query, context, WINDOW_MS);
  if (json === undefined) return refuse("invalid_request", "The body is not JSON.");
  const message = readMessage(json);
  if ("problem" in message) return refuse("invalid_request", `Not a message of DingTalk: ${message.problem}`);
  return receiveMessage(message, context);
}

/** Whether a message is signed. The sign covers the time alone, and not the body. */
async function isSigned({ headers }: Request, { accountId, account, secret, now }: DingtalkContext): Promise<boolean> {
  const key = secret(account.clientSecret);
  if (!key) {
    log("error", "channel.not_configured", { channel: "dingtalk", accountId, variable: account.clientSecret.id });
    return false;
  }
  const timestamp = headers.get("timestamp") ?? "";
  if (!/^\d+$/.test(timestamp) || Math.abs(now() - Number(timestamp)) > WINDOW_MS) return false;
  return isHmac("SHA-256", key, `${timestamp}\n${key}`, fromBase64(headers.get("sign") ?? ""));
}
