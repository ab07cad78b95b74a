import { digestOf } from "../../lib/digest.ts";
import type { PackageFile } from "./archive.ts";
import type { InstallTarget } from "./install-target.ts";
import type { Lock } from "./lock.ts";
import type { LockedFile } from "./package-manifest.ts";

/** A package that no entry names is of an install that never began, once it is older than this. */
const FORGOTTEN_MS = 60 * 60 * 1000;

type PackageStore = Pick<InstallTarget, "bucket" | "attempt" | "packages">;

/**
 * Stores the bytes of all files as one object, one behind the other in the manifest's order, so that whoever comes next can go on
 * with the install. Each install has its own: none takes away another's.
 */
export async function putPackage(
  { bucket, attempt, packages }: PackageStore,
  workId: string,
  manifest: readonly LockedFile[],
  files: readonly PackageFile[],
): Promise<string> {
  const key = `${packages}${workId}`;
  const bytesOf = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const whole = new Blob(manifest.map(({ path }) => bytesOf.get(path) ?? new Uint8Array()));
  await attempt(key, () => bucket.put(key, whole));
  return key;
}

/** The files of a stored package; undefined where it is gone or not what the manifest says. */
export async function getPackage(
  { bucket, attempt }: PackageStore,
  key: string,
  manifest: readonly LockedFile[],
): Promise<PackageFile[] | undefined> {
  const whole = await attempt(key, async () => (await bucket.get(key))?.bytes());
  if (whole === undefined) return undefined;
  const files: PackageFile[] = [];
  let at = 0;
  for (const { path, size, sha256 } of manifest) {
    const bytes = whole.subarray(at, at + size);
    at += size;
    if (bytes.length !== size || (await digestOf("SHA-256", bytes)) !== sha256) return undefined;
    files.push({ path, bytes });
  }
  return files;
}

/** Takes a package away. Doing it twice is harmless. */
export async function dropPackage({ bucket, attempt }: PackageStore, key: string): Promise<void> {
  await attempt(key, () => bucket.delete(key));
}

/** Takes packages away that no entry names, an hour after they were put. One R2 operation where there are none. */
export async function dropForgotten(
  { bucket, attempt, packages }: PackageStore,
  lock: Lock,
  now: number,
): Promise<void> {
  const named = new Set([...lock.skills.values()].flatMap((one) => (one.state === "installing" ? [one.package] : [])));
  const { objects } = await attempt(packages, () => bucket.list({ prefix: packages }));
  const old = objects.filter(({ key, uploaded }) => !named.has(key) && uploaded.getTime() < now - FORGOTTEN_MS);
  if (old.length > 0) await attempt(packages, () => bucket.delete(old.map(({ key }) => key)));
}
