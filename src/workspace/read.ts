import { DELETION_MARK_ETAG, type FileStore, fileAt, fileFromObject, notFound, objectKey } from "./file-store.ts";
import {
  type ByteRange,
  MAX_FILE_BYTES,
  type WorkspaceContent,
  WorkspaceError,
  type WorkspaceFile,
} from "./workspace.ts";

/** Attempts of a ranged read of a file that keeps changing. */
const ROUNDS = 5;

/** `Workspace.read`: one store operation for a whole file, two for a range of one. */
export function readFile(store: FileStore, path: string, range?: ByteRange): Promise<WorkspaceContent> {
  return range === undefined ? readWhole(store, path) : readRange(store, path, range);
}

async function readWhole(store: FileStore, path: string): Promise<WorkspaceContent> {
  const key = objectKey(store, path);
  return store.attempt(path, async () => {
    const object = await store.bucket.get(key);
    if (object === null || object.etag === DELETION_MARK_ETAG) throw notFound(path);
    if (object.size > MAX_FILE_BYTES) {
      await object.body.cancel();
      throw tooLarge(path, object.size);
    }
    return { file: fileFromObject(path, object), bytes: await object.bytes(), offset: 0 };
  });
}

/** Gets the size first: R2's behaviour for ranges outside the file varies. */
async function readRange(store: FileStore, path: string, range: ByteRange): Promise<WorkspaceContent> {
  const key = objectKey(store, path);
  for (let round = 0; round < ROUNDS; round++) {
    const file = await fileAt(store, path);
    if (file === undefined) throw notFound(path);
    const part = resolveRange(file, range);
    const bytes = await store.attempt(path, async () => {
      const object = await store.bucket.get(key, { range: part, onlyIf: { etagMatches: file.etag } });
      return object !== null && "body" in object ? object.bytes() : undefined;
    });
    if (bytes !== undefined) return { file, bytes, offset: part.offset };
  }
  throw new WorkspaceError("unavailable", path, `\`${path}\` changed each time that it was read.`);
}

function resolveRange(file: WorkspaceFile, range: ByteRange): { offset: number; length: number } {
  const offset = "suffix" in range ? Math.max(0, file.size - range.suffix) : range.offset;
  const length = Math.min("suffix" in range ? range.suffix : (range.length ?? file.size), file.size - offset);
  if (offset < 0 || length <= 0) {
    throw new WorkspaceError("bad_range", file.path, `\`${file.path}\` has ${file.size} bytes, none in that range.`);
  }
  if (length > MAX_FILE_BYTES) throw tooLarge(file.path, length);
  return { offset, length };
}

function tooLarge(path: string, size: number): WorkspaceError {
  return new WorkspaceError(
    "too_large",
    path,
    `\`${path}\`: ${size} bytes are more than is read at once (${MAX_FILE_BYTES}).`,
  );
}
