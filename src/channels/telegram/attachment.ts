import { z } from "zod";
import { deadline, streamWithin, within } from "../../lib/deadline.ts";
import { IsopodError } from "../../lib/errors.ts";
import type { Attachment } from "../channel.ts";
import type { TelegramContext } from "./account.ts";
import { callBot, downloadFile } from "./bot-api.ts";
import type { TelegramFile, TelegramMessage } from "./update.ts";

const GET_FILE_TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 60_000;

/** A message's attachments; each is requested from Telegram (up to 20 MB) when it is opened. */
export function messageAttachments(message: TelegramMessage, context: TelegramContext, token: string): Attachment[] {
  return messageFiles(message).map(({ file, name, mediaType }) => ({
    name: safeName(file.file_name) ?? name,
    mediaType: file.mime_type ?? mediaType,
    ...(file.file_size !== undefined && { size: file.file_size }),
    open: () => openFile(file.file_id, context, token),
  }));
}

interface NamedFile {
  file: TelegramFile;
  /** The name of files without one of their own. */
  name: string;
  mediaType: string;
}

/** An animation also comes as a document, which is skipped. */
function messageFiles(message: TelegramMessage): NamedFile[] {
  const { animation, document, voice, audio, video, video_note: videoNote } = message;
  const found: [TelegramFile | undefined, kind: string, extension: string, mediaType: string][] = [
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

/** @throws IsopodError `unavailable` */
async function openFile(fileId: string, context: TelegramContext, token: string): Promise<ReadableStream<Uint8Array>> {
  const answer = await within(GET_FILE_TIMEOUT_MS, (signal) =>
    callBot(context, token, "getFile", { file_id: fileId }, signal),
  );
  const file = answer.kind === "ok" ? fileAnswer.safeParse(answer.result).data : undefined;
  if (file) {
    const limit = deadline(DOWNLOAD_TIMEOUT_MS);
    return streamWithin(await downloadFile(context, token, file.file_path, limit.signal), limit);
  }
  const why = answer.kind === "refused" ? answer.description : answer.kind === "lost" ? answer.reason : "no path";
  throw new IsopodError("unavailable", `Telegram did not hand over the file: ${why}`);
}
