import { z } from "zod";
import { IsopodError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Attachment } from "../channel.ts";
import { notHandedOver } from "../download.ts";
import type { TelegramContext } from "./account.ts";
import { botToken, callBot, downloadPath, tokenMissing } from "./bot-api.ts";
import type { TelegramFile, TelegramMessage } from "./update.ts";

/** A message's attachments; each is requested from Telegram (up to 20 MB) when it is opened. */
export function messageAttachments(message: TelegramMessage): Attachment[] {
  return messageFiles(message).map(({ file, name, mediaType }) => ({
    name: safeName(file.file_name) ?? name,
    mediaType: file.mime_type ?? mediaType,
    ...(file.file_size !== undefined && { size: file.file_size }),
    ...(file.duration !== undefined && { seconds: file.duration }),
    ...(file === message.voice && { isVoice: true }),
    reference: { fileId: file.file_id },
  }));
}

interface NamedFile {
  file: TelegramFile & { duration?: number | undefined };
  /** The name of files without one of their own. */
  name: string;
  mediaType: string;
}

/** An animation also comes as a document, which is skipped. */
function messageFiles(message: TelegramMessage): NamedFile[] {
  const { animation, document, voice, audio, video, video_note: videoNote } = message;
  const found: [NamedFile["file"] | undefined, kind: string, extension: string, mediaType: string][] = [
    [largest(message.photo), "photo", ".jpg", "image/jpeg"],
    [animation, "animation", ".mp4", "video/mp4"],
    [animation ? undefined : document, "document", "", "application/octet-stream"],
    [voice, "voice", ".ogg", "audio/ogg"],
    [audio, "audio", ".mp3", "audio/mpeg"],
    [video, "video", ".mp4", "video/mp4"],
    [videoNote, "video-note", ".mp4", "video/mp4"],
  ];
  return found.flatMap(([file, kind, extension, mediaType]) =>
    file ? [{ file, name: `${kind}-${message.message_id}${extension}`, mediaType }] : [],
  );
}

/** A photo has several sizes, the largest last. */
function largest(photo: TelegramFile[] | undefined): TelegramFile | undefined {
  return photo?.at(-1);
}

/** The sender chose the name: it must not contain path separators. */
function safeName(name: string | undefined): string | undefined {
  const safe = name?.replace(/[/\\\p{Cc}\p{Cf}]/gu, "_").replace(/^\.+/, "");
  return safe === "" ? undefined : safe;
}

const fileAnswer = z.object({ file_path: z.string() });

const fileReference = z.object({ fileId: z.string() });

/** Downloads an attachment. @throws IsopodError */
export async function openAttachment(
  reference: JsonObject,
  context: TelegramContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const token = botToken(context);
  if (token === undefined) throw new IsopodError("not_configured", tokenMissing(context.account));
  const { fileId } = fileReference.parse(reference);
  const answer = await callBot(context, token, "getFile", { file_id: fileId }, signal);
  const file = answer.kind === "ok" ? fileAnswer.safeParse(answer.result).data : undefined;
  if (file) return downloadPath(context, token, file.file_path, signal);
  const why = answer.kind === "refused" ? answer.description : answer.kind === "ok" ? "no path" : answer.reason;
  throw notHandedOver("Telegram", why);
}
