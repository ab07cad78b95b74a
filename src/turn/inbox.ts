import { head } from "../lib/text.ts";
import type { Workspace } from "../workspace/workspace.ts";

const MAX_NAME_CHARS = 80;
/** What models can look at. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** A file that came with a message, and where it is to be kept. */
export interface ArrivedFile {
  /** In the workspace; the same file of the same message has the same. */
  path: string;
  bytes: Uint8Array;
  mediaType: string | undefined;
}

/** A file of a message as the model is told of it. */
export interface KeptFile {
  /** A line that tells the model where the file is, or why it is not. */
  note: string;
  image?: { path: string; mediaType: string };
}

/** Whether models can look at files of a type. */
export function isImageType(mediaType: string | undefined): mediaType is string {
  return mediaType !== undefined && IMAGE_TYPES.has(mediaType);
}

/** Stores a file that came with a message in the workspace. Again is the same as once. @throws WorkspaceError */
export async function keepInInbox({ path, bytes, mediaType }: ArrivedFile, workspace: Workspace): Promise<KeptFile> {
  await workspace.write(path, bytes, { kind: "any" });
  const note = `[File: ${path}${mediaType === undefined ? "" : ` (${mediaType})`}, ${bytes.length} bytes]`;
  return isImageType(mediaType) ? { note, image: { path, mediaType } } : { note };
}

/** A name from outside as a part of a path: letters of every script with their marks, accents composed. */
export function safeName(name: string): string {
  return head(name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "_"), MAX_NAME_CHARS);
}
