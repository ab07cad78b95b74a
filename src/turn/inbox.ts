import { head } from "../lib/text.ts";
import type { Label } from "../security/labels.ts";
import type { Workspace } from "../workspace/workspace.ts";

const MAX_NAME_CHARS = 80;
/** The image types that models accept. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** A file that arrived with a message, and its path. */
export interface ArrivedFile {
  /** Path in the workspace; the same file of the same message has the same path. */
  path: string;
  bytes: Uint8Array;
  mediaType: string | undefined;
  /** Where it comes from, if not from an owner. */
  labels?: readonly Label[];
}

/** A file of a message as the model sees it. */
export interface KeptFile {
  /** A line with the file's path, or why it was not stored. */
  note: string;
  image?: { path: string; mediaType: string };
}

/** Whether models accept files of a type as images. */
export function isImageType(mediaType: string | undefined): mediaType is string {
  return mediaType !== undefined && IMAGE_TYPES.has(mediaType);
}

/** Stores a file of a message in the workspace. Idempotent. @throws WorkspaceError */
export async function keepInInbox(
  { path, bytes, mediaType, labels = [] }: ArrivedFile,
  workspace: Workspace,
): Promise<KeptFile> {
  await workspace.write(path, bytes, { kind: "any" }, labels.length === 0 ? undefined : { labels });
  const note = `[File: ${path}${mediaType === undefined ? "" : ` (${mediaType})`}, ${bytes.length} bytes]`;
  return isImageType(mediaType) ? { note, image: { path, mediaType } } : { note };
}

/** An external name as a part of a path: letters of every script with their marks, in composed form. */
export function safeName(name: string): string {
  return head(name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "_"), MAX_NAME_CHARS);
}
