import { fromBase64 } from "../../lib/base64.ts";
import { log } from "../../lib/log.ts";
import { isHmac } from "../../security/hmac.ts";
import type { InboundEvent, ReceiveResult } from "../channel.ts";
import { announcesTooMuch, parseJson, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import type { LineContext } from "./account.ts";
import { lineCall, lineEvent } from "./event.ts";
import { toInbound } from "./inbound.ts";

/** Parses a call of LINE's, which brings a list of events; an empty one is the console's check. */
export async function receive(request: Request, context: LineContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  if (announcesTooMuch(request)) return refuseSize();
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  if (!(await isSigned(request, body, context))) return refuse("unauthorized", "The signature is wrong.");
  const call = lineCall.safeParse(parseJson(body)).data;
  if (call === undefined) return refuse("invalid_request", "Not a call of the Messaging API.");
  const events: InboundEvent[] = [];
  const ignored: string[] = [];
  for (const event of call.events) {
    const known = lineEvent.safeParse(event).data;
    const found = known === undefined ? "an event that cannot be read" : toInbound(known, context.now());
    if (typeof found === "string") ignored.push(found);
    else events.push(found);
  }
  if (events.length === 0) return { kind: "answered", reason: ignored.join("; ") || "it brings no events" };
  const { accountId } = context;
  for (const reason of ignored) log("info", "channel.ignored", { channel: "line", accountId, reason });
  return { kind: "events", events };
}

async function isSigned(request: Request, body: Uint8Array, context: LineContext): Promise<boolean> {
  const { account, accountId, secret } = context;
  const key = secret(account.channelSecret);
  if (!key) {
    log("error", "channel.not_configured", { channel: "line", accountId, variable: account.channelSecret.id });
    return false;
  }
  return isHmac("SHA-256", key, body, fromBase64(request.headers.get("X-Line-Signature") ?? ""));
}
