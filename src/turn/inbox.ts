import { IsopodError, messageOf } from "../lib/errors.ts";
import { readCapped } from "../lib/read-capped.ts";
import { head } from "../lib/text.ts";
import type { MediaRef } from "../models/message.ts";
import { type Label, strangerLabel } from "../security/labels.ts";
import type { RunInput } from "../session-store/run-input.ts";
import { sniffImageType } from "../workspace/media-type.ts";
import { MAX_FILE_BYTES, type Workspace, WorkspaceError } from "../workspace/workspace.ts";
import { mediaFile, type StoredFile } from "./media-file.ts";

const MAX_NAME_CHARS = 80;
/** What people who are not owners may store: a file, and all files of one conversation that no owner has accepted. */
const MAX_STRANGER_FILE_BYTES = 2 * 1024 * 1024;
const MAX_STRANGER_FILES = 100;
const MAX_STRANGER_BYTES = 20 * 1024 * 1024;

/** The image types that models accept. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** A file that arrived with a message; the same file of the same message has the same path. */
export interface ArrivedFile extends StoredFile {
  /** Where it comes from, if not from an owner. */
  labels?: readonly Label[];
}

/** A file of a message as the model sees it. */
export interface KeptFile {
  /** A line with the file's path, or why it was not stored. */
  note: string;
  /** Where it was stored. */
  path?: string;
  image?: { path: string; mediaType: string };
  /** Set if some models take it as it is. */
  media?: MediaRef;
}

/** Whether models accept files of a type as images. */
export function isImageType(mediaType: string | undefined): mediaType is string {
  return mediaType !== undefined && IMAGE_TYPES.has(mediaType);
}

/** Stores a file of a message in the workspace. Idempotent. @throws WorkspaceError */
export async function keepInInbox({ labels = [], ...file }: ArrivedFile, workspace: Workspace): Promise<KeptFile> {
  await workspace.write(file.path, file.bytes, { kind: "any" }, labels.length === 0 ? undefined : { labels });
  return keptFile(file);
}

/** A file of a message that is in the workspace. */
export async function keptFile(file: StoredFile): Promise<KeptFile> {
  const { path, bytes, mediaType } = file;
  const note = `[File: ${path}${mediaType === undefined ? "" : ` (${mediaType})`}, ${bytes.length} bytes]`;
  if (isImageType(mediaType)) return { note, path, image: { path, mediaType } };
  const media = await mediaFile(file);
  return { note, path, ...(media && { media }) };
}

/** What models are shown of the files of a message besides their notes. */
export function shownFiles(kept: readonly KeptFile[]): Required<Pick<RunInput, "images" | "media">> {
  return { images: kept.flatMap(({ image }) => image ?? []), media: kept.flatMap(({ media }) => media ?? []) };
}

/** The message that brings a file. */
export interface FileOrigin {
  channel: string;
  /** Set for an account whose ids may be others' in the account `default`. */
  accountId?: string;
  conversationId: string;
  messageId: string;
  senderId: string;
  owner: boolean;
}

/** A file that arrived with a message: its bytes, or how they are had. */
export interface IncomingFile extends Pick<StoredFile, "seconds" | "isVoice"> {
  name: string;
  mediaType?: string;
  bytes: Uint8Array | ReadableStream<Uint8Array>;
}

/**
 * Stores a file of a message in the workspace, within the bounds of its author. Idempotent. The note says why a file was
 * not kept.
 * @throws WorkspaceError `unavailable` for bytes that came with the message: they are nowhere else
 */
export async function keepFile(file: IncomingFile, origin: FileOrigin, workspace: Workspace): Promise<KeptFile> {
  const name = safeName(file.name);
  const max = origin.owner ? MAX_FILE_BYTES : MAX_STRANGER_FILE_BYTES;
  try {
    const bytes = file.bytes instanceof Uint8Array ? file.bytes : await readCapped(file.bytes, max);
    if (bytes === undefined || bytes.length > max)
      return { note: `[The file ${name} is over ${max} bytes and was not kept.]` };
    const account = origin.accountId === undefined ? "" : `@${safeName(origin.accountId)}`;
    const place = `inbox/${origin.channel}${account}-${safeName(origin.conversationId)}-`;
    if (!origin.owner && !(await hasRoom(workspace, place, bytes.length))) {
      return {
        note: `[The file ${name} was not kept: people who are not owners have sent as much as there is room for.]`,
      };
    }
    const labels: readonly Label[] = origin.owner ? [] : [strangerLabel(`${origin.channel}:${origin.senderId}`)];
    const path = `${place}${safeName(origin.messageId)}-${name}`;
    const mediaType = sniffImageType(bytes) ?? file.mediaType;
    const { seconds, isVoice } = file;
    return await keepInInbox({ path, bytes, mediaType, seconds, isVoice, labels }, workspace);
  } catch (error) {
    const isLost = file.bytes instanceof Uint8Array && error instanceof WorkspaceError && error.code === "unavailable";
    if (isLost) throw error;
    return notFetched(name, error);
  }
}

/** The files of one message under names that differ: they are kept side by side. */
export function withUniqueNames<File extends { name: string }>(files: readonly File[]): File[] {
  const taken = new Set<string>();
  return files.map((file) => {
    let name = file.name;
    for (let n = 2; taken.has(safeName(name)); n++) name = `${n}-${file.name}`;
    taken.add(safeName(name));
    return { ...file, name };
  });
}

/** What the model reads of a file that could not be had. */
export function notFetched(name: string, error: unknown): KeptFile {
  const hint = error instanceof IsopodError && error.hint !== undefined ? ` ${error.hint}` : "";
  return { note: `[The file ${safeName(name)} could not be fetched: ${messageOf(error)}${hint}]` };
}

/** Whether a conversation's strangers may store more in the inbox. One listing. */
async function hasRoom(workspace: Workspace, prefix: string, bytes: number): Promise<boolean> {
  const files = (await workspace.list("inbox")).flatMap((entry) =>
    entry.kind === "file" && entry.path.startsWith(prefix) && entry.labels !== undefined ? [entry.size] : [],
  );
  return files.length < MAX_STRANGER_FILES && files.reduce((sum, size) => sum + size, bytes) <= MAX_STRANGER_BYTES;
}

/** An external name as a part of a path: letters of every script with their marks, in composed form. */
export function safeName(name: string): string {
  return head(name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "_"), MAX_NAME_CHARS);
}
