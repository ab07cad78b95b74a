import { byteLength } from "../lib/text.ts";
import { labelsIn } from "./file-labels.ts";
import { checkPath } from "./paths.ts";
import type { Attempt } from "./retry.ts";
import { WorkspaceError, type WorkspaceFile } from "./workspace.ts";
import type { WriteQueue } from "./write-queue.ts";

const MAX_KEY_BYTES = 1024;

/** An agent's files in R2, with what operations on them need. */
export interface FileStore {
  bucket: R2Bucket;
  agentId: string;
  /** The prefix of the workspace's keys; ends with `/`. */
  prefix: string;
  attempt: Attempt;
  writes: WriteQueue;
  /** Waits for `ms` milliseconds. */
  wait(ms: number): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  newVersionId(): string;
  /** Called after a file was overwritten or deleted and its previous version was kept. */
  onReplaced(path: string): void;
}

/**
 * Replaces a file during its deletion: R2 has no conditional delete, so a delete is a conditional write of this mark,
 * then the mark's removal. Readers treat the mark as no file.
 */
export const DELETION_MARK =
  "Isopod deleted this file, and this mark goes next. 5f0c1b7e-0f0e-4c55-9d0b-8a2a6f3f6d11\n";

/** The mark's etag (MD5 of its bytes), by which listings recognize it. */
export const DELETION_MARK_ETAG = "00fe6d1b8a09434d58c75e3f474bbe1b";

/** The R2 key of a file. @throws WorkspaceError `bad_path`, also if the key is too long for R2 */
export function objectKey(store: FileStore, path: string): string {
  const key = store.prefix + checkPath(path);
  const excess = byteLength(key) - MAX_KEY_BYTES;
  if (excess > 0)
    throw new WorkspaceError("bad_path", path, `The path is ${excess} bytes too long for the file store.`);
  return key;
}

/** Whether the key of a path is short enough for R2. */
export function fitsObjectKey(store: Pick<FileStore, "prefix">, path: string): boolean {
  return byteLength(store.prefix + path) <= MAX_KEY_BYTES;
}

/** An R2 object as a workspace file. */
export function fileFromObject(path: string, object: R2Object): WorkspaceFile {
  const { etag, size, uploaded, customMetadata } = object;
  const labels = labelsIn(customMetadata);
  return { kind: "file", path, etag, size, modifiedAt: uploaded.getTime(), ...(labels && { labels }) };
}

/** The file at a path; undefined if there is none. One store operation. */
export async function fileAt(store: FileStore, path: string): Promise<WorkspaceFile | undefined> {
  const key = objectKey(store, path);
  const object = await store.attempt(path, () => store.bucket.head(key));
  return object === null || object.etag === DELETION_MARK_ETAG ? undefined : fileFromObject(path, object);
}

/** The error for a missing file. */
export function notFound(path: string): WorkspaceError {
  return new WorkspaceError("not_found", path, `There is no file \`${path}\`.`);
}
