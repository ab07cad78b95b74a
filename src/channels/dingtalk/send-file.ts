import { zipSync } from "fflate";
import { z } from "zod";
import type { Delivery, OutboundFile } from "../channel.ts";
import { beforeSending, STOPPED } from "../platform-call.ts";
import { credentialsMissing, type DingtalkContext, dingtalkCredentials } from "./account.ts";
import { uploadToDingtalk } from "./api.ts";
import { type RobotMessage, sendAsRobot, toDelivery } from "./send.ts";

const PICTURES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/bmp"]);
/** The files that a robot may send; others go in a ZIP. */
const FILES: ReadonlySet<string> = new Set(["xlsx", "pdf", "zip", "rar", "doc", "docx"]);

const uploaded = z.object({ media_id: z.string() });

/** Uploads a file, and sends a message with it. Only the message can be in doubt. */
export async function sendFile(file: OutboundFile, context: DingtalkContext, signal: AbortSignal): Promise<Delivery> {
  const credentials = dingtalkCredentials(context);
  if (credentials === undefined) return { outcome: "failed", reason: credentialsMissing(context) };
  if (signal.aborted) return STOPPED;
  const isPicture = PICTURES.has(file.mediaType);
  const packed = isPicture ? file : sendable(file);
  const content = new File([packed.bytes], packed.name, { type: packed.mediaType });
  const upload = { type: isPicture ? "image" : "file", file: content } as const;
  const answer = beforeSending(await uploadToDingtalk(context, credentials, upload, signal));
  if (answer.kind !== "ok") return toDelivery(answer, context);
  const mediaId = uploaded.safeParse(answer.json).data?.media_id;
  if (mediaId === undefined) {
    return { outcome: "retry", afterMs: 0, reason: "DingTalk: the answer has no id of the file" };
  }
  const message: RobotMessage = isPicture
    ? { msgKey: "sampleImageMsg", msgParam: { photoURL: mediaId } }
    : { msgKey: "sampleFile", msgParam: { mediaId, fileName: packed.name, fileType: suffixOf(packed.name) } };
  return sendAsRobot(file.target, message, context, signal);
}

type NamedFile = Pick<OutboundFile, "name" | "mediaType" | "bytes">;

/** A file of a kind that robots may send. */
function sendable(file: OutboundFile): NamedFile {
  if (FILES.has(suffixOf(file.name))) return file;
  const bytes = Uint8Array.from(zipSync({ [file.name]: file.bytes }));
  return { name: `${file.name}.zip`, mediaType: "application/zip", bytes };
}

function suffixOf(name: string): string {
  return /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
}
