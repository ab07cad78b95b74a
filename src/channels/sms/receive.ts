import { log } from "../../lib/log.ts";
import type { Attachment, InboundEvent, InboundReceipt, ReceiveResult } from "../channel.ts";
import { announcesTooMuch, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import type { SmsContext } from "./account.ts";
import { isSignedByTwilio } from "./signature.ts";
import { codeInWords } from "./twilio-error.ts";

/** The query parameter of the address for statuses that has the delivery's id. */
export const DELIVERY_PARAMETER = "delivery";

/** Parses a call of Twilio's: a message, or the status of one. Answers go out by the API, so that the call gets none. */
export async function receive(request: Request, context: SmsContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  if (announcesTooMuch(request)) return refuseSize();
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  const { account, accountId, secret } = context;
  const authToken = secret(account.authToken);
  if (!authToken) {
    log("error", "channel.not_configured", { channel: "sms", accountId, variable: account.authToken.id });
  }
  if (!authToken || !(await isSignedByTwilio(request, body, authToken, context))) {
    return refuse("unauthorized", "The signature is wrong.");
  }
  const fields = new URLSearchParams(new TextDecoder().decode(body));
  const [sid, from, to] = ["MessageSid", "From", "To"].map((name) => fields.get(name) ?? "");
  if (!sid || !from || !to)
    return refuse("invalid_request", "Not a message of Twilio's: it names no MessageSid, From or To.");
  const status = fields.get("MessageStatus");
  const found =
    status === null
      ? toMessage(fields, { sid, from, to })
      : toReceipt(fields, { sid, to, status }, new URL(request.url).searchParams.get(DELIVERY_PARAMETER));
  if (typeof found === "string") return { kind: "answered", reason: found, response: noAnswer() };
  return { kind: "events", events: [found], answer: noAnswer };
}

/** TwiML without an instruction. */
function noAnswer(): Response {
  return new Response("<Response/>", { headers: { "Content-Type": "text/xml" } });
}

/** Words that Twilio answers by itself: to those who say the first ones, it delivers nothing from then on. */
const TWILIOS_WORDS: ReadonlySet<string> = new Set([
  "STOP",
  "STOPALL",
  "UNSUBSCRIBE",
  "CANCEL",
  "END",
  "QUIT",
  "OPTOUT",
  "REVOKE",
  "START",
  "UNSTOP",
  "HELP",
  "INFO",
]);

function toMessage(
  fields: URLSearchParams,
  { sid, from, to }: Record<"sid" | "from" | "to", string>,
): InboundEvent | string {
  const text = fields.get("Body") ?? "";
  const word = fields.get("OptOutType") ?? text.trim().toUpperCase();
  if (fields.has("OptOutType") || TWILIOS_WORDS.has(word)) return `Twilio answers the word ${word.slice(0, 20)}`;
  if (from.includes(":")) return `a message by another network of Twilio's, ${from.split(":")[0]}`;
  const attachments = mediaOf(fields);
  if (text === "" && attachments.length === 0) return "it has no content";
  return {
    kind: "message",
    dedupeId: sid,
    messageId: sid,
    text,
    sender: { id: from },
    conversation: { kind: "direct", id: from },
    mentioned: true,
    attachments,
    via: to,
  };
}

/** Most files of an MMS. */
const MAX_MEDIA = 10;

/** The files of an MMS; each is requested from Twilio when it is opened. */
function mediaOf(fields: URLSearchParams): Attachment[] {
  const count = Math.min(Number(fields.get("NumMedia") ?? 0) || 0, MAX_MEDIA);
  return Array.from({ length: count }, (_, n): Attachment[] => {
    const url = fields.get(`MediaUrl${n}`);
    const mediaType = fields.get(`MediaContentType${n}`) ?? "application/octet-stream";
    return url === null ? [] : [{ name: `media-${n + 1}${extensionOf(mediaType)}`, mediaType, reference: { url } }];
  }).flat();
}

const EXTENSIONS = new Map([
  ["image/jpeg", ".jpg"],
  ["text/plain", ".txt"],
  ["text/vcard", ".vcf"],
  ["text/x-vcard", ".vcf"],
  ["audio/mpeg", ".mp3"],
  ["video/3gpp", ".3gp"],
]);

/** `.png` for `image/png`, and the like. */
function extensionOf(mediaType: string): string {
  return EXTENSIONS.get(mediaType) ?? /^[a-z]+\/([a-z\d]{2,5})$/.exec(mediaType)?.[1]?.replace(/^/, ".") ?? "";
}

const OUTCOMES = new Map<string, InboundReceipt["outcome"]>([
  ["delivered", "delivered"],
  ["read", "read"],
  ["failed", "failed"],
  ["undelivered", "failed"],
]);

function toReceipt(
  fields: URLSearchParams,
  { sid, to, status }: Record<"sid" | "to" | "status", string>,
  deliveryId: string | null,
): InboundReceipt | string {
  const outcome = OUTCOMES.get(status);
  if (outcome === undefined) return `a message was ${status.slice(0, 20)}`;
  const code = Number(fields.get("ErrorCode") ?? Number.NaN);
  return {
    kind: "receipt",
    externalId: sid,
    ...(deliveryId !== null && { deliveryId }),
    conversation: { kind: "direct", id: to },
    outcome,
    ...(outcome === "failed" && { reason: codeInWords(code, fields.get("ErrorMessage") ?? "") }),
  };
}
