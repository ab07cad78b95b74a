import { byteLength } from "../lib/text.ts";
import { checkPath } from "./paths.ts";
import type { Attempt } from "./retry.ts";
import { WorkspaceError, type WorkspaceFile } from "./workspace.ts";
import type { WriteQueue } from "./write-queue.ts";

const MAX_KEY_BYTES = 1024;

/** Where the files of one agent are in R2, and what it takes to work on them. */
export interface FileStore {
  bucket: R2Bucket;
  agentId: string;
  /** What every key of the workspace starts with; ends with `/`. */
  prefix: string;
  attempt: Attempt;
  writes: WriteQueue;
  /** Waits for so many milliseconds. */
  wait(ms: number): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  newVersionId(): string;
  /** Told after a file was overwritten or deleted and an earlier version of it was kept. */
  onReplaced(path: string): void;
}

/**
 * What stands in for a file while it is being deleted: R2 has no conditional delete, so a delete is a conditional
 * write of this mark and then the removal of the mark. A reader takes the mark for no file.
 */
export const DELETION_MARK =
  "Isopod deleted this file, and this mark goes next. 5f0c1b7e-0f0e-4c55-9d0b-8a2a6f3f6d11\n";

/** The etag of the mark (the MD5 of its bytes), by which a listing knows it. */
export const DELETION_MARK_ETAG = "00fe6d1b8a09434d58c75e3f474bbe1b";

/** The R2 key of a file. @throws WorkspaceError `bad_path`, also where the key would be longer than R2 takes */
export function objectKey(store: FileStore, path: string): string {
  const key = store.prefix + checkPath(path);
  const excess = byteLength(key) - MAX_KEY_BYTES;
  if (excess > 0)
    throw new WorkspaceError("bad_path", path, `The path is ${excess} bytes too long for the file store.`);
  return key;
}

/** Whether R2 takes the key of a path. */
export function fitsObjectKey(store: Pick<FileStore, "prefix">, path: string): boolean {
  return byteLength(store.prefix + path) <= MAX_KEY_BYTES;
}

/** An R2 object as a file of the workspace. */
export function fileFromObject(path: string, object: R2Object): WorkspaceFile {
  return { kind: "file", path, etag: object.etag, size: object.size, modifiedAt: object.uploaded.getTime() };
}

/** What is at a path, or undefined where there is no file. One store operation. */
export async function fileAt(store: FileStore, path: string): Promise<WorkspaceFile | undefined> {
  const key = objectKey(store, path);
  const object = await store.attempt(path, () => store.bucket.head(key));
  return object === null || object.etag === DELETION_MARK_ETAG ? undefined : fileFromObject(path, object);
}

/** The error of a path at which there is no file. */
export function notFound(path: string): WorkspaceError {
  return new WorkspaceError("not_found", path, `There is no file \`${path}\`.`);
}
