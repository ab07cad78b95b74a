import { log } from "../../lib/log.ts";
import { fromHex, isHmac } from "../../security/hmac.ts";
import { secretEqual } from "../../security/secret-equal.ts";
import type { InboundEvent, ReceiveResult } from "../channel.ts";
import { announcesTooMuch, parseJson, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import { credentials, credentialsMissing, type WhatsAppContext } from "./account.ts";
import { detailsOf } from "./graph-error.ts";
import { toInbound, toReceipt } from "./inbound.ts";
import { messagesValue, notification, whatsAppMessage, whatsAppStatus } from "./notification.ts";

/** Parses a call of Meta's: the check of the address by GET, or changes. */
export async function receive(request: Request, context: WhatsAppContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request, "GET");
  if (wrongMethod) return wrongMethod;
  if (request.method === "GET") return verifyAddress(new URL(request.url).searchParams, context);
  if (announcesTooMuch(request)) return refuseSize();
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  if (!(await isSigned(request, body, context))) return refuse("unauthorized", "The signature is wrong.");
  const known = notification.safeParse(parseJson(body)).data;
  if (known === undefined) return refuse("invalid_request", "Not a notification of a WhatsApp Business Account.");
  const number = credentials(context)?.phoneNumberId;
  if (number === undefined) return refuse("unavailable", credentialsMissing(context.account));
  const events: InboundEvent[] = [];
  const ignored: string[] = [];
  for (const { field, value } of known.entry.flatMap(({ changes }) => changes)) {
    const found = field === "messages" ? readChange(value, number, context) : [`a change of ${field}`];
    for (const event of found) typeof event === "string" ? ignored.push(event) : events.push(event);
  }
  if (events.length === 0) return { kind: "answered", reason: ignored.join("; ") || "it brings nothing" };
  const { accountId } = context;
  for (const reason of ignored) log("info", "channel.ignored", { channel: "whatsapp", accountId, reason });
  return { kind: "events", events };
}

/**
 * Meta checks an address with a word that people have told it, and wants the challenge back.
 * @see https://developers.facebook.com/docs/graph-api/webhooks/getting-started#verification-requests
 */
async function verifyAddress(query: URLSearchParams, { account, secret }: WhatsAppContext): Promise<ReceiveResult> {
  const expected = secret(account.verifyToken);
  const challenge = query.get("hub.challenge");
  const isMeant = query.get("hub.mode") === "subscribe" && challenge !== null;
  if (!expected || !isMeant || !(await secretEqual(query.get("hub.verify_token") ?? "", expected))) {
    return refuse("forbidden", `Meta's verify token has to be the value of ${account.verifyToken.id}.`);
  }
  return { kind: "answered", reason: "the address was checked", response: new Response(challenge) };
}

async function isSigned(request: Request, body: Uint8Array, context: WhatsAppContext): Promise<boolean> {
  const { account, accountId, secret } = context;
  const key = secret(account.appSecret);
  if (!key) {
    log("error", "channel.not_configured", { channel: "whatsapp", accountId, variable: account.appSecret.id });
    return false;
  }
  const hex = /^sha256=([\da-f]{64})$/i.exec(request.headers.get("X-Hub-Signature-256") ?? "")?.[1];
  return isHmac("SHA-256", key, body, hex === undefined ? undefined : fromHex(hex));
}

/** What a change brings, in order; a text says why something in it is nothing for the agent. */
function readChange(value: unknown, number: string, { account, now }: WhatsAppContext): (InboundEvent | string)[] {
  const read = messagesValue.safeParse(value).data;
  if (read === undefined) return ["a change that cannot be read"];
  const { metadata, contacts, messages, statuses, errors } = read;
  if (metadata.phone_number_id !== number) {
    return [`a change of another number of the app, whose id is ${metadata.phone_number_id.slice(0, 40)}`];
  }
  const facts = { contacts, ownNumber: metadata.display_phone_number.replaceAll(/\D/g, "") };
  return [
    ...messages.map((message) => {
      const known = whatsAppMessage.safeParse(message).data;
      return known === undefined ? "a message that cannot be read" : toInbound(known, facts);
    }),
    ...statuses.map((status) => {
      const known = whatsAppStatus.safeParse(status).data;
      return known === undefined ? "a status that cannot be read" : toReceipt(known, account, now());
    }),
    ...errors.map((error) => `an error of Meta's: ${detailsOf(error)}`),
  ];
}
