import { byteLength } from "../lib/text.ts";
import { digestOf } from "./digest.ts";
import { listKeys } from "./listing.ts";
import { keyOf, type Place } from "./place.ts";
import { MAX_FILE_BYTES, WorkspaceError, type WorkspaceVersion } from "./workspace.ts";

/** How long an earlier version is kept, in milliseconds: 30 days. */
export const VERSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** The message by which a writer asks for the old versions of one file to be cleared away. */
export interface PruneVersions {
  kind: "prune-versions";
  agentId: string;
  path: string;
}

const VERSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Longer escaped paths are named by their digest: a key of R2 has 1,024 bytes, and escaping makes a path longer. */
const MAX_ESCAPED_BYTES = 880;

type Store = Pick<Place, "bucket" | "attempt" | "agentId">;

/**
 * Copies the file at `path` to a new version, if its etag is still `etag`; undefined where it is not.
 * The bytes stream from R2 to R2, whatever their size.
 */
export async function keepVersion(place: Place, path: string, etag: string): Promise<string | undefined> {
  const versionId = place.newVersionId();
  const key = await versionKey(place, path, versionId);
  return place.attempt(path, async () => {
    const current = await place.bucket.get(keyOf(place, path), { onlyIf: { etagMatches: etag } });
    if (current === null || !("body" in current)) return undefined;
    await place.bucket.put(key, current.body);
    return versionId;
  });
}

/** Takes back a version that was copied for a write that did not happen. */
export async function dropVersion(place: Place, path: string, versionId: string): Promise<void> {
  const key = await versionKey(place, path, versionId);
  await place.attempt(path, () => place.bucket.delete(key));
}

/** The kept versions of a file, newest first. */
export async function listVersions(store: Store, path: string): Promise<WorkspaceVersion[]> {
  const prefix = await versionKey(store, path, "");
  const { objects } = await listKeys(store, path, { prefix });
  return objects
    .map((object) => ({
      versionId: object.key.slice(prefix.length),
      size: object.size,
      replacedAt: object.uploaded.getTime(),
    }))
    .sort((a, b) => b.replacedAt - a.replacedAt || (a.versionId < b.versionId ? 1 : -1));
}

/** The bytes of one version, or undefined where there is none. @throws WorkspaceError `too_large` */
export async function readVersion(place: Place, path: string, versionId: string): Promise<Uint8Array | undefined> {
  if (!VERSION_ID.test(versionId)) return undefined;
  const key = await versionKey(place, path, versionId);
  return place.attempt(path, async () => {
    const object = await place.bucket.get(key);
    if (object === null) return undefined;
    if (object.size <= MAX_FILE_BYTES) return object.bytes();
    await object.body.cancel();
    throw new WorkspaceError("too_large", path, `That version of \`${path}\` has ${object.size} bytes.`);
  });
}

/** Deletes the versions of a file that are older than 30 days, and says how many. Doing it twice is harmless. */
export async function pruneVersions(store: Store, path: string, now: number): Promise<number> {
  const expired = (await listVersions(store, path)).filter((one) => one.replacedAt < now - VERSION_LIFETIME_MS);
  const keys = await Promise.all(expired.map((version) => versionKey(store, path, version.versionId)));
  for (let from = 0; from < keys.length; from += 1000) {
    await store.attempt(path, () => store.bucket.delete(keys.slice(from, from + 1000)));
  }
  return keys.length;
}

/** `versions/<agentId>/<escaped path>/<versionId>`: one segment a path, so that no file's versions are inside another's. */
async function versionKey(store: Pick<Store, "agentId">, path: string, versionId: string): Promise<string> {
  const escaped = path.replaceAll("%", "%25").replaceAll("/", "%2F").replaceAll("~", "%7E");
  const segment =
    byteLength(escaped) <= MAX_ESCAPED_BYTES
      ? escaped
      : `~${await digestOf("SHA-256", new TextEncoder().encode(path))}`;
  return `versions/${store.agentId}/${segment}/${versionId}`;
}
