import { z } from "zod";
import type { Delivery, OutboundFile } from "../channel.ts";
import { oggSeconds } from "../ogg-seconds.ts";
import { beforeSending, STOPPED } from "../platform-call.ts";
import { credentialsMissing, type FeishuContext, feishuCredentials } from "./account.ts";
import { callFeishu, type FeishuAnswer } from "./open-api.ts";
import { type FeishuCaller, type FeishuOutgoing, sendMessage, toDelivery } from "./send.ts";

/** Larger pictures are sent as files. */
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
const IMAGES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp"]);

const uploaded = z.object({ data: z.union([z.object({ image_key: z.string() }), z.object({ file_key: z.string() })]) });

/** Uploads a file, and sends a message with it. Only the message can be in doubt. */
export async function sendFile(file: OutboundFile, context: FeishuContext, signal: AbortSignal): Promise<Delivery> {
  const credentials = feishuCredentials(context);
  if (credentials === undefined) return { outcome: "failed", reason: credentialsMissing(context) };
  if (signal.aborted) return STOPPED;
  const caller = { context, credentials, signal };
  const { type, fileType } = shownAs(file);
  const answer = beforeSending(await upload(file, fileType, caller));
  if (answer.kind !== "ok") return toDelivery(answer, context);
  const key = uploaded.safeParse(answer.json).data?.data;
  if (key === undefined) return { outcome: "retry", afterMs: 0, reason: "Feishu: the answer has no key of the file" };
  const { target, deliveryId } = file;
  return toDelivery(await sendMessage({ type, content: JSON.stringify(key), target, deliveryId }, caller), context);
}

/** The kind of message that shows a file best, and what the file is uploaded as. */
function shownAs({ mediaType, bytes, asVoice }: OutboundFile): { type: FeishuOutgoing["type"]; fileType?: string } {
  if (IMAGES.has(mediaType) && bytes.length <= MAX_IMAGE_BYTES) return { type: "image" };
  if (asVoice && mediaType === "audio/ogg") return { type: "audio", fileType: "opus" };
  return mediaType === "video/mp4" ? { type: "media", fileType: "mp4" } : { type: "file", fileType: "stream" };
}

function upload(
  { name, mediaType, bytes }: OutboundFile,
  fileType: string | undefined,
  { context, credentials, signal }: FeishuCaller,
): Promise<FeishuAnswer> {
  const body = new FormData();
  const content = new File([bytes], name, { type: mediaType });
  if (fileType === undefined) {
    body.set("image_type", "message");
    body.set("image", content);
  } else {
    body.set("file_type", fileType);
    body.set("file_name", name);
    const seconds = fileType === "opus" ? oggSeconds(bytes) : undefined;
    if (seconds !== undefined) body.set("duration", String(Math.round(seconds * 1000)));
    body.set("file", content);
  }
  const path = fileType === undefined ? "im/v1/images" : "im/v1/files";
  return callFeishu(context, credentials, { path, body }, signal);
}
