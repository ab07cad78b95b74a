import { z } from "zod";
import type { Delivery, OutboundFile } from "../channel.ts";
import { beforeSending, STOPPED } from "../platform-call.ts";
import { credentialsMissing, type WecomContext, wecomCredentials } from "./account.ts";
import { callWecom } from "./api.ts";
import { sendMessage, toDelivery } from "./send.ts";

const MEGABYTE = 1024 * 1024;

const uploaded = z.object({ media_id: z.string() });

/** Uploads a file, and sends a message with it. Only the message can be in doubt. */
export async function sendFile(file: OutboundFile, context: WecomContext, signal: AbortSignal): Promise<Delivery> {
  const credentials = wecomCredentials(context);
  if (credentials === undefined) return { outcome: "failed", reason: credentialsMissing(context) };
  if (signal.aborted) return STOPPED;
  const caller = { context, credentials, signal };
  const type = shownAs(file);
  const body = new FormData();
  body.set("media", new File([file.bytes], file.name, { type: file.mediaType }));
  const request = { path: "media/upload", query: { type }, body };
  const answer = beforeSending(await callWecom(context, credentials, request, signal));
  if (answer.kind !== "ok") return toDelivery(answer, context);
  const id = uploaded.safeParse(answer.json).data?.media_id;
  if (id === undefined) return { outcome: "retry", afterMs: 0, reason: "WeCom: the answer has no id of the file" };
  return sendMessage(file.target.conversationId, { msgtype: type, [type]: { media_id: id } }, caller);
}

/** The kind of message that shows a file best. */
function shownAs({ mediaType, bytes, asVoice }: OutboundFile): "image" | "voice" | "video" | "file" {
  const fits = (megabytes: number) => bytes.length <= megabytes * MEGABYTE;
  if ((mediaType === "image/jpeg" || mediaType === "image/png") && fits(10)) return "image";
  if (asVoice && mediaType === "audio/amr" && fits(2)) return "voice";
  return mediaType === "video/mp4" && fits(10) ? "video" : "file";
}
