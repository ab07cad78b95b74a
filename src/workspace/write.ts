import { backoffMs, withJitter } from "../lib/backoff.ts";
import { digestOf } from "../lib/digest.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { sleep } from "../lib/sleep.ts";
import { type FileLabels, labelMetadata } from "./file-labels.ts";
import {
  DELETION_MARK,
  DELETION_MARK_ETAG,
  type FileStore,
  fileAt,
  fileFromObject,
  notFound,
  objectKey,
} from "./file-store.ts";
import { readFile } from "./read.ts";
import { dropVersion, findVersion, keepVersion, openVersion } from "./versions.ts";
import { type Expectation, MAX_FILE_BYTES, WorkspaceError, type WorkspaceFile } from "./workspace.ts";

/** Attempts of an unconditional write that loses races. */
const ROUNDS = 10;
const FIRST_PAUSE_MS = 20;
/** R2 takes about one write a second per key, so longer waits are pointless. */
const LONGEST_PAUSE_MS = 1000;

/** A deletion mark of this age was abandoned by its writer, and is overwritten. */
const MARK_LIFETIME_MS = 60_000;
const MARK_POLLS = 5;
const MARK_POLL_MS = 200;

/** A write to a path. */
interface PendingWrite {
  path: string;
  key: string;
  /** The bytes, or a stream that each attempt requests again. */
  content(): Uint8Array | Promise<ReadableStream>;
  /** The resulting etag. */
  etag: string;
  /** Where the words come from. */
  labels?: FileLabels | undefined;
  /** Called after a refusal: throws if a newer write is queued. */
  yieldToNewer(): void;
}

/** `Workspace.write`: identical bytes are not written and make no version. */
export async function writeFile(
  store: FileStore,
  path: string,
  content: Uint8Array | string,
  expect: Expectation,
  labels?: FileLabels,
): Promise<WorkspaceFile> {
  const target = await pendingWrite(store, path, content);
  return store.writes.run(target.key, path, expect, (yieldToNewer) =>
    storeFile(store, { ...target, labels, yieldToNewer }, expect),
  );
}

/** `Workspace.acceptWords`: the same bytes are stored again, without labels. */
export async function acceptWords(store: FileStore, path: string, etag: string): Promise<WorkspaceFile> {
  const { file, bytes } = await readFile(store, path);
  if (file.etag !== etag) throw conflict(path, "accepted", "it was changed since it was read");
  if (file.labels === undefined) return file;
  const target = { ...(await pendingWrite(store, path, bytes)), yieldToNewer: () => undefined };
  const stored = await putIf(store, target, { etagMatches: etag });
  if (stored === null) throw conflict(path, "accepted", "it was changed since it was read");
  return fileFromObject(path, stored);
}

/** `Workspace.restore`: the version streams from R2 to R2, whatever its size. */
export async function restoreFile(
  store: FileStore,
  path: string,
  versionId: string,
  expect: Expectation,
): Promise<WorkspaceFile> {
  const { etag, labels } = await findVersion(store, path, versionId);
  const content = async () => (await openVersion(store, path, versionId)).body;
  const key = objectKey(store, path);
  return store.writes.run(key, path, expect, (yieldToNewer) =>
    storeFile(store, { path, key, content, etag, labels, yieldToNewer }, expect),
  );
}

async function storeFile(store: FileStore, target: PendingWrite, expect: Expectation): Promise<WorkspaceFile> {
  const { path } = target;
  if (expect.kind === "new") {
    const created = await create(store, target);
    if (created === undefined) throw conflict(path, "written", "there is a file already");
    return created;
  }
  if (expect.kind === "etag") {
    const stored = await replace(store, target, expect.etag);
    if (stored === undefined) throw conflict(path, "written", "it was changed or deleted since it was read");
    return stored;
  }
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) await store.wait(retryPauseMs(round, target.etag));
    const current = await fileAt(store, path);
    const stored = current === undefined ? await create(store, target) : await replace(store, target, current.etag);
    if (stored !== undefined) return stored;
  }
  throw conflict(path, "written", "others kept writing to it");
}

/** `Workspace.remove`: the mark replaces the file first, so that a concurrent write is never lost. */
export async function removeFile(store: FileStore, path: string, expect: Expectation): Promise<void> {
  const mark = { ...(await pendingWrite(store, path, DELETION_MARK)), yieldToNewer: () => undefined };
  return store.writes.run(mark.key, path, undefined, () => clearAway(store, mark, expect));
}

async function clearAway(store: FileStore, mark: PendingWrite, expect: Expectation): Promise<void> {
  const { path } = mark;
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) await store.wait(retryPauseMs(round, mark.etag));
    const current = await fileAt(store, path);
    if (current === undefined) throw notFound(path);
    if (expect.kind === "new") throw conflict(path, "deleted", "there is a file");
    if (expect.kind === "etag" && expect.etag !== current.etag) {
      throw conflict(path, "deleted", "it was changed since it was read");
    }
    if ((await replace(store, mark, current.etag)) !== undefined) return clearMark(store, mark);
  }
  throw conflict(path, "deleted", "others kept writing to it");
}

/**
 * The pause before the next round: doubled each time, with jitter derived from the content's etag, so that writers that
 * collided do not collide again.
 */
function retryPauseMs(round: number, etag: string): number {
  const share = Number.parseInt(etag.slice(2 * round, 2 * round + 4), 16) / 0x10000;
  return withJitter(backoffMs(round, { firstMs: FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS }), share);
}

async function pendingWrite(
  store: FileStore,
  path: string,
  content: Uint8Array | string,
): Promise<Omit<PendingWrite, "yieldToNewer">> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  if (bytes.length > MAX_FILE_BYTES) {
    throw new WorkspaceError(
      "too_large",
      path,
      `${bytes.length} bytes are more than a file takes (${MAX_FILE_BYTES}).`,
    );
  }
  return { path, key: objectKey(store, path), content: () => bytes, etag: await digestOf("MD5", bytes) };
}

/** Creates a file; undefined if one exists. */
async function create(store: FileStore, target: PendingWrite): Promise<WorkspaceFile | undefined> {
  for (let poll = 0; poll < MARK_POLLS; poll++) {
    const stored = await putIf(store, target, { etagDoesNotMatch: "*" });
    if (stored !== null) return fileFromObject(target.path, stored);
    const there = await store.attempt(target.path, () => store.bucket.head(target.key));
    if (there !== null && there.etag !== DELETION_MARK_ETAG) return undefined;
    if (there !== null && there.uploaded.getTime() < store.now() - MARK_LIFETIME_MS) {
      const taken = await putIf(store, target, { etagMatches: DELETION_MARK_ETAG });
      return taken === null ? undefined : fileFromObject(target.path, taken);
    }
    await sleep(MARK_POLL_MS);
  }
  throw conflict(target.path, "written", "it is being deleted at this moment");
}

/** Replaces the version with that etag, which is kept; undefined if it is no longer current. */
async function replace(store: FileStore, target: PendingWrite, etag: string): Promise<WorkspaceFile | undefined> {
  if (etag === target.etag) {
    const current = await fileAt(store, target.path);
    return current?.etag === etag ? current : undefined;
  }
  const versionId = await keepVersion(store, target.path, etag);
  if (versionId === undefined) return undefined;
  const stored = await putOver(store, target, etag, versionId);
  if (stored === null) {
    await dropVersion(store, target.path, versionId);
    return undefined;
  }
  store.onReplaced(target.path);
  return fileFromObject(target.path, stored);
}

/** Writes over a version that was copied. If it yields to a newer write, the copy is deleted. */
async function putOver(
  store: FileStore,
  target: PendingWrite,
  etag: string,
  versionId: string,
): Promise<R2Object | null> {
  try {
    return await putIf(store, target, { etagMatches: etag });
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "conflict") {
      await dropVersion(store, target.path, versionId);
    }
    throw thrown;
  }
}

/** One conditional put; null if the condition failed. After a lost response, finding our bytes there is success. */
function putIf(store: FileStore, target: PendingWrite, onlyIf: R2Conditional): Promise<R2Object | null> {
  return store.attempt(target.path, async (again) => {
    if (again === "refused") target.yieldToNewer();
    const customMetadata = labelMetadata(target.labels);
    const stored = await store.bucket.put(target.key, await target.content(), {
      onlyIf,
      ...(customMetadata && { customMetadata }),
    });
    if (stored !== null || again !== "unsure") return stored;
    const there = await store.bucket.head(target.key);
    return there?.etag === target.etag ? there : null;
  });
}

/**
 * Deletes the mark. After a lost response the key may hold a newer file, so it is checked again; a mark that cannot be
 * deleted is no file to readers, and the next write overwrites it.
 */
async function clearMark(store: FileStore, mark: PendingWrite): Promise<void> {
  try {
    await store.attempt(mark.path, async (again) => {
      if (again && (await store.bucket.head(mark.key))?.etag !== DELETION_MARK_ETAG) return;
      await store.bucket.delete(mark.key);
    });
  } catch (thrown) {
    log("warn", "workspace.deletion_mark_left", { key: mark.key, error: messageOf(thrown) });
  }
}

function conflict(path: string, verb: "written" | "deleted" | "accepted", why: string): WorkspaceError {
  return new WorkspaceError("conflict", path, `\`${path}\` was not ${verb}: ${why}.`);
}
