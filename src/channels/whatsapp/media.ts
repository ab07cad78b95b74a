import { z } from "zod";
import { IsopodError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Delivery, OutboundFile } from "../channel.ts";
import { downloadFile, notHandedOver } from "../download.ts";
import { STOPPED } from "../platform-call.ts";
import { credentials, credentialsMissing, type WhatsAppContext } from "./account.ts";
import { callGraph, type GraphAnswer, messageDelivery, withCredentials } from "./graph-api.ts";
import { inWords } from "./graph-error.ts";
import { isRefusedAsClosed, type MessageContent, type Sending, sendMessage } from "./message.ts";
import { reopen } from "./template.ts";
import { isKnownClosed } from "./window.ts";

const mediaReference = z.object({ mediaId: z.string().regex(/^\w+$/) });
const mediaAddress = z.object({ url: z.url({ protocol: /^https?$/ }) });

/** Hosts of Meta's, which the token may be sent to. */
const META_HOSTS = /(?:^|\.)(?:facebook\.com|fbsbx\.com|fbcdn\.net|whatsapp\.net)$/;

/** Downloads a file of a message: Meta gives its address, which is valid for five minutes. @throws IsopodError */
export async function openMedia(
  reference: JsonObject,
  context: WhatsAppContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const found = credentials(context);
  if (found === undefined) throw new IsopodError("not_configured", credentialsMissing(context.account));
  const { mediaId } = mediaReference.parse(reference);
  const answer = await callGraph(context, found, { path: mediaId, method: "GET" }, signal);
  if (answer.kind !== "ok") throw notHandedOver("WhatsApp", reasonOf(answer, context));
  const url = mediaAddress.safeParse(answer.json).data?.url;
  if (url === undefined || !isOfMeta(url, context)) {
    throw notHandedOver("WhatsApp", "its address is not one of Meta's");
  }
  const headers = { Authorization: `Bearer ${found.token}` };
  return downloadFile(context, { platform: "WhatsApp", url, headers, secrets: [found.token] }, signal);
}

function isOfMeta(url: string, { account }: WhatsAppContext): boolean {
  const { host, hostname, protocol } = new URL(url);
  const own = new URL(account.apiBase);
  return (host === own.host && protocol === own.protocol) || (protocol === "https:" && META_HOSTS.test(hostname));
}

function reasonOf(answer: Exclude<GraphAnswer, { kind: "ok" }>, { account }: WhatsAppContext): string {
  if (answer.kind !== "refused") return answer.reason;
  return answer.error ? inWords(answer.error, account) : answer.description;
}

/** Uploads a file and sends it; to a closed conversation the template in its place. */
export async function sendFile(file: OutboundFile, context: WhatsAppContext, signal: AbortSignal): Promise<Delivery> {
  return withCredentials(context, async (credentials) => {
    if (signal.aborted) return STOPPED;
    const sending = { context, credentials, signal };
    const { target, deliveryId, name } = file;
    const unsent = { target, deliveryId, text: `[file: ${name}]`, isFile: true } as const;
    if (isKnownClosed(target.via, context.now())) return reopen(unsent, sending);
    const way = wayOf(file);
    if (typeof way === "string") return { outcome: "failed", reason: way };
    const uploaded = await upload(file, way.mediaType, sending);
    if (typeof uploaded !== "string") return uploaded;
    const answer = await sendMessage(file, contentOf(file, way.kind, uploaded), sending);
    return isRefusedAsClosed(answer) ? reopen(unsent, sending) : messageDelivery(answer, context);
  });
}

const uploadedMedia = z.object({ id: z.string() });

/** Uploads a file: its id, or why there is none. Whatever became of an upload, no message was sent. */
async function upload(
  { name, bytes }: OutboundFile,
  mediaType: string,
  { context, credentials, signal }: Sending,
): Promise<string | Delivery> {
  const body = new FormData();
  body.set("messaging_product", "whatsapp");
  body.set("type", mediaType);
  body.set("file", new File([bytes], name, { type: mediaType }));
  const path = `${credentials.phoneNumberId}/media`;
  const answer = await callGraph(context, credentials, { path, body }, signal);
  const id = answer.kind === "ok" ? uploadedMedia.safeParse(answer.json).data?.id : undefined;
  if (id !== undefined) return id;
  const delivery = messageDelivery(answer, context);
  if (delivery.outcome === "failed" || delivery.outcome === "retry") return delivery;
  const why = "reason" in delivery ? delivery.reason : "WhatsApp: the upload has no id";
  return { outcome: "retry", afterMs: UPLOAD_AGAIN_MS, reason: why };
}

const UPLOAD_AGAIN_MS = 10_000;

const MIB = 1024 * 1024;

type MediaKind = "image" | "video" | "audio" | "document";

/** What Meta takes as a picture, a film or a sound, and how large; anything else is a document. */
const SHOWN: readonly { kind: MediaKind; types: ReadonlySet<string>; maxBytes: number }[] = [
  { kind: "image", types: new Set(["image/jpeg", "image/png"]), maxBytes: 5 * MIB },
  { kind: "video", types: new Set(["video/mp4", "video/3gpp"]), maxBytes: 16 * MIB },
  {
    kind: "audio",
    types: new Set(["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"]),
    maxBytes: 16 * MIB,
  },
];

const OFFICE = "application/vnd.openxmlformats-officedocument.";
const DOCUMENTS: ReadonlySet<string> = new Set([
  "application/pdf",
  "application/msword",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  ...["wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation"].map((kind) => OFFICE + kind),
]);
/** Text in all but name, which Meta takes only as plain text. */
const TEXTS = /^text\/|^application\/(?:json|xml|yaml|x-yaml|javascript)$|\+(?:json|xml)$/;

/** How a file is sent; a text says why it cannot be. */
function wayOf({ mediaType, bytes, name }: OutboundFile): { kind: MediaKind; mediaType: string } | string {
  const shown = SHOWN.find(({ types }) => types.has(mediaType));
  if (shown && bytes.length <= shown.maxBytes) return { kind: shown.kind, mediaType };
  if (shown || DOCUMENTS.has(mediaType)) return { kind: "document", mediaType };
  if (TEXTS.test(mediaType)) return { kind: "document", mediaType: "text/plain" };
  return `WhatsApp takes no files of the type ${mediaType}, such as ${name}: send it as a PDF, a text or a picture.`;
}

function contentOf({ name, asVoice, mediaType }: OutboundFile, kind: MediaKind, id: string): MessageContent {
  const more =
    kind === "document"
      ? { filename: name }
      : kind === "audio" && asVoice && mediaType === "audio/ogg"
        ? { voice: true }
        : {};
  return { type: kind, [kind]: { id, ...more } };
}
