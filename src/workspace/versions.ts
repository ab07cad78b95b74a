import { batches } from "../lib/batches.ts";
import { digestOf } from "../lib/digest.ts";
import { byteLength } from "../lib/text.ts";
import { type FileStore, fileFromObject, objectKey } from "./file-store.ts";
import { listKeys } from "./listing.ts";
import { composed } from "./spelling.ts";
import {
  MAX_FILE_BYTES,
  type WorkspaceContent,
  WorkspaceError,
  type WorkspaceFile,
  type WorkspaceVersion,
} from "./workspace.ts";

/** How long an earlier version is kept, in milliseconds: 30 days. */
export const VERSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** Most versions kept per file; the oldest are deleted first. */
export const MAX_VERSIONS = 1000;

/** The queue message that asks to prune the old versions of a file. */
export interface PruneVersions {
  kind: "prune-versions";
  agentId: string;
  path: string;
}

/** Most keys that R2 deletes in one call. */
const MAX_DELETED_KEYS = 1000;

const VERSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Longer escaped paths are replaced by their digest: an R2 key has at most 1,024 bytes, and escaping lengthens a path.
 */
const MAX_ESCAPED_BYTES = 880;

/** The part of a store that its versions need. */
export type VersionStore = Pick<FileStore, "bucket" | "attempt" | "agentId">;

/**
 * Copies the file at `path` to a new version if its etag is still `etag`; undefined otherwise. The bytes stream from R2
 * to R2, whatever their size.
 */
export async function keepVersion(store: FileStore, path: string, etag: string): Promise<string | undefined> {
  const versionId = store.newVersionId();
  const key = await versionKey(store, path, versionId);
  const customMetadata = { path: encodeURIComponent(composed(path)) };
  return store.attempt(path, async () => {
    const current = await store.bucket.get(objectKey(store, path), { onlyIf: { etagMatches: etag } });
    if (current === null || !("body" in current)) return undefined;
    await store.bucket.put(key, current.body, { customMetadata: { ...current.customMetadata, ...customMetadata } });
    return versionId;
  });
}

/** Deletes a version that was copied for a write that failed. */
export async function dropVersion(store: FileStore, path: string, versionId: string): Promise<void> {
  const key = await versionKey(store, path, versionId);
  await store.attempt(path, () => store.bucket.delete(key));
}

/** The versions of a file, newest first. */
export async function listVersions(store: VersionStore, path: string): Promise<WorkspaceVersion[]> {
  const prefix = await versionKey(store, path, "");
  const { objects } = await listKeys(store, path, { prefix });
  return objects.map(versionFromObject).sort(newestFirst);
}

/** A listed version from its R2 object. */
export function versionFromObject({ key, size, uploaded }: R2Object): WorkspaceVersion {
  return { versionId: key.slice(key.lastIndexOf("/") + 1), size, replacedAt: uploaded.getTime() };
}

/** Sorts versions newest first. */
export function newestFirst(a: WorkspaceVersion, b: WorkspaceVersion): number {
  return b.replacedAt - a.replacedAt || (a.versionId < b.versionId ? 1 : -1);
}

/** A version's metadata. @throws WorkspaceError `not_found` */
export async function findVersion(store: FileStore, path: string, versionId: string): Promise<WorkspaceFile> {
  if (!VERSION_ID.test(versionId)) throw noVersion(path, versionId);
  const key = await versionKey(store, path, versionId);
  const object = await store.attempt(path, () => store.bucket.head(key));
  if (object === null) throw noVersion(path, versionId);
  return fileFromObject(path, object);
}

/** A version's content, dated at its replacement. @throws WorkspaceError `not_found`, `too_large` */
export async function readVersion(store: FileStore, path: string, versionId: string): Promise<WorkspaceContent> {
  const file = await findVersion(store, path, versionId);
  if (file.size > MAX_FILE_BYTES) {
    throw new WorkspaceError("too_large", path, `That version of \`${path}\` has ${file.size} bytes; restore it.`);
  }
  const bytes = await store.attempt(path, async () => (await openVersion(store, path, versionId)).bytes());
  return { file, bytes, offset: 0 };
}

/** A version as an R2 stream. @throws WorkspaceError `not_found` */
export async function openVersion(store: FileStore, path: string, versionId: string): Promise<R2ObjectBody> {
  const object = await store.bucket.get(await versionKey(store, path, versionId));
  if (object === null) throw noVersion(path, versionId);
  return object;
}

/** Deletes a file's versions older than 30 days, and the oldest beyond `most`; returns how many. Idempotent. */
export async function pruneVersions(
  store: VersionStore,
  path: string,
  now: number,
  most = MAX_VERSIONS,
): Promise<number> {
  const versions = await listVersions(store, path);
  const excess = versions.filter((one, i) => i >= most || isExpired(one.replacedAt, now));
  const keys = await Promise.all(excess.map((version) => versionKey(store, path, version.versionId)));
  await deleteKeys(store, path, keys);
  return keys.length;
}

/** Whether a version is past its lifetime. */
export function isExpired(replacedAt: number, now: number): boolean {
  return replacedAt < now - VERSION_LIFETIME_MS;
}

/** Deletes keys in batches of R2's maximum. */
async function deleteKeys(store: VersionStore, path: string, keys: readonly string[]): Promise<void> {
  for (const batch of batches(keys, () => 1, { size: MAX_DELETED_KEYS })) {
    await store.attempt(path, () => store.bucket.delete(batch));
  }
}

/** The key prefix of an agent's versions. */
export function versionsFolder(agentId: string): string {
  return `versions/${agentId}/`;
}

/** The path of a version's file; undefined if unknown. */
export function pathOfVersion(agentId: string, { key, customMetadata }: R2Object): string | undefined {
  const segment = key.slice(versionsFolder(agentId).length, key.lastIndexOf("/"));
  const named = segment.startsWith("~") ? customMetadata?.path : segment;
  return named === undefined ? undefined : decodeURIComponent(named);
}

/**
 * `versions/<agentId>/<escaped path>/<versionId>`: the path is one segment, so that versions of different files never
 * nest.
 */
async function versionKey(store: Pick<VersionStore, "agentId">, path: string, versionId: string): Promise<string> {
  const spelt = composed(path);
  const escaped = spelt.replaceAll("%", "%25").replaceAll("/", "%2F").replaceAll("~", "%7E");
  const segment =
    byteLength(escaped) <= MAX_ESCAPED_BYTES
      ? escaped
      : `~${await digestOf("SHA-256", new TextEncoder().encode(spelt))}`;
  return `${versionsFolder(store.agentId)}${segment}/${versionId}`;
}

function noVersion(path: string, versionId: string): WorkspaceError {
  return new WorkspaceError("not_found", path, `\`${path}\` has no version \`${versionId}\`.`);
}

/** How often all versions of an agent are checked, in milliseconds. */
const EVERY_MS = 24 * 60 * 60 * 1000;
/** Most R2 pages per sweep; a page has 1,000 versions. */
const MAX_PAGES = 20;

/**
 * Deletes all versions of an agent older than 30 days, also of files that are no longer written; returns how many. Runs
 * at most once a day; a long sweep continues with the next call. Idempotent.
 */
export async function sweepVersions(store: VersionStore, now: number): Promise<number> {
  const prefix = versionsFolder(store.agentId);
  const marker = `${prefix}.swept`;
  const last = await store.attempt(marker, () => store.bucket.head(marker));
  const from = last?.customMetadata?.from;
  if (last !== null && from === undefined && last.uploaded.getTime() > now - EVERY_MS) return 0;
  const expired: string[] = [];
  let options: R2ListOptions = from === undefined ? { prefix } : { prefix, startAfter: decodeURIComponent(from) };
  let next: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await store.attempt(marker, () => store.bucket.list(options));
    const old = page.objects.filter(({ key, uploaded }) => key !== marker && isExpired(uploaded.getTime(), now));
    expired.push(...old.map(({ key }) => key));
    next = page.truncated ? page.objects.at(-1)?.key : undefined;
    if (!page.truncated) break;
    options = { prefix, cursor: page.cursor };
  }
  await deleteKeys(store, marker, expired);
  const customMetadata = next === undefined ? {} : { from: encodeURIComponent(next) };
  await store.attempt(marker, () => store.bucket.put(marker, "", { customMetadata }));
  return expired.length;
}
