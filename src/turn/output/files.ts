import type { Delivery, OutboundFile } from "../../channels/channel.ts";
import { messageOf } from "../../lib/errors.ts";
import type { MadeFile } from "../../models/message.ts";
import type { AttachedFile } from "../../session-store/stored-shapes.ts";
import { mediaTypeForPath } from "../../workspace/media-type.ts";
import { type Workspace, WorkspaceError } from "../../workspace/workspace.ts";

/** Most files of one message. */
export const MAX_FILES = 10;

/** The files to send, and the problems of others. */
export interface Attached {
  files: AttachedFile[];
  /** One line each, as Markdown. */
  problems: string[];
}

/** Looks up workspace files to send. Only the path and the current etag of a file are stored. */
export async function attach(named: readonly MadeFile[], workspace: Pick<Workspace, "stat">): Promise<Attached> {
  const found: Attached = { files: [], problems: [] };
  for (const { path, asVoice } of named.slice(0, MAX_FILES)) {
    try {
      const { etag } = await workspace.stat(path);
      found.files.push({ kind: "file", path, etag, ...(asVoice && { asVoice }) });
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error;
      found.problems.push(`⚠️ The file \`${path}\` was not sent: ${messageOf(error)}`);
    }
  }
  const left = named.length - MAX_FILES;
  if (left > 0) found.problems.push(`⚠️ ${left} more files were not sent: ${MAX_FILES} go with one message.`);
  return found;
}

/** The Markdown line that replaces a file where the channel takes none, and that message hooks see. */
export function fileLine({ path }: AttachedFile): string {
  return `📎 \`${nameOf(path)}\``;
}

/** Reads a file to send. If it has changed since it was named, it is not sent. */
export async function readAttachedFile(
  { path, etag, asVoice }: AttachedFile,
  workspace: Workspace,
): Promise<Omit<OutboundFile, "target" | "deliveryId"> | Delivery> {
  try {
    const { file, bytes } = await workspace.read(path);
    if (file.etag !== etag) return { outcome: "failed", reason: `${path} was changed after it was to be sent.` };
    return {
      name: nameOf(path),
      mediaType: mediaTypeForPath(path),
      bytes: new Uint8Array(bytes),
      asVoice: asVoice === true,
    };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    const reason = messageOf(error);
    return error.code === "unavailable" ? { outcome: "retry", afterMs: 0, reason } : { outcome: "failed", reason };
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
