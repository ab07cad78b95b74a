import { digestOf } from "../../lib/digest.ts";
import type { PackageFile } from "./archive.ts";
import type { InstallTarget } from "./install-target.ts";
import type { Lock } from "./lock.ts";
import type { LockedFile } from "./package-manifest.ts";

/** Packages that no lock entry names are deleted at this age: their install never began. */
const FORGOTTEN_MS = 60 * 60 * 1000;

type PackageStore = Pick<InstallTarget, "bucket" | "attempt" | "packages">;

/**
 * Stores the bytes of all files as one object, concatenated in the manifest's order, so that a later caller can finish
 * the install. Each install has its own object.
 */
export async function putPackage(
  { bucket, attempt, packages }: PackageStore,
  workId: string,
  manifest: readonly LockedFile[],
  files: readonly PackageFile[],
): Promise<string> {
  const key = `${packages}${workId}`;
  const bytesByPath = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const whole = new Blob(manifest.map(({ path }) => bytesByPath.get(path) ?? new Uint8Array()));
  await attempt(key, () => bucket.put(key, whole));
  return key;
}

/** The files of a stored package; undefined if it is gone or does not match the manifest. */
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

/** Deletes a package. Idempotent. */
export async function dropPackage({ bucket, attempt }: PackageStore, key: string): Promise<void> {
  await attempt(key, () => bucket.delete(key));
}

/** Deletes packages that no lock entry names, an hour after they were stored. One R2 operation if there are none. */
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
