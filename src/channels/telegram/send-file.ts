import type { ChannelContext, Delivery, OutboundFile } from "../channel.ts";
import type { TelegramAccount } from "./account.ts";
import { callBot, tokenOf, type Upload, type UploadMethod } from "./bot-api.ts";
import { placeOf, toDelivery, tokenMissing } from "./send.ts";

/** A picture over this many bytes is sent as a document. */
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
const PHOTOS: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/webp"]);
const SOUNDS: ReadonlySet<string> = new Set(["audio/mpeg", "audio/mp4"]);
const VOICES: ReadonlySet<string> = new Set(["audio/ogg", ...SOUNDS]);

/**
 * Sends a file in the way in which Telegram shows it best. A picture that it does not take as one (400, so surely nothing
 * was sent), too wide or too small for example, goes out again as a document.
 */
export async function sendFile(
  file: OutboundFile,
  context: ChannelContext<TelegramAccount>,
  signal: AbortSignal,
): Promise<Delivery> {
  const token = tokenOf(context);
  if (token === undefined) return tokenMissing(context);
  if (signal.aborted) return { outcome: "retry", afterMs: 0, reason: "stopped before it was sent" };
  const send = ([method, field]: Way) => {
    const upload = { field, file: new File([file.bytes], file.name, { type: file.mediaType }) };
    return callBot(context, token, method, placeOf(file.target), signal, upload);
  };
  const way = wayOf(file);
  const answer = await send(way);
  const isRefused = answer.kind === "refused" && answer.status === 400 && way !== AS_DOCUMENT;
  return toDelivery(isRefused ? await send(AS_DOCUMENT) : answer, context);
}

type Way = readonly [UploadMethod, Upload["field"]];

const AS_DOCUMENT: Way = ["sendDocument", "document"];

function wayOf({ mediaType, bytes, asVoice }: OutboundFile): Way {
  if (PHOTOS.has(mediaType) && bytes.length <= MAX_PHOTO_BYTES) return ["sendPhoto", "photo"];
  if (asVoice && VOICES.has(mediaType)) return ["sendVoice", "voice"];
  if (SOUNDS.has(mediaType)) return ["sendAudio", "audio"];
  return mediaType === "video/mp4" ? ["sendVideo", "video"] : AS_DOCUMENT;
}
