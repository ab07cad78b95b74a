import { digestOf, shortDigest } from "../../lib/digest.ts";
import type { PackageFile } from "./archive.ts";

/** A file in the lock. */
export interface LockedFile {
  /** Relative to the skill's folder. */
  path: string;
  /** Lower-case hex. */
  sha256: string;
  /** The etag that R2 assigns to these bytes: their MD5. */
  etag: string;
  /** In bytes. */
  size: number;
}

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";

/** The file with the author's signature, in the skill's folder. */
export const SIGNATURE_FILE = "SKILL.sig";

const encoder = new TextEncoder();

/** The manifest of a package: path, digests and size of each file, in the byte order of their paths. */
export async function packageManifest(files: readonly PackageFile[]): Promise<LockedFile[]> {
  const locked = await Promise.all(
    files.map(async ({ path, bytes }) => ({
      path,
      sha256: await digestOf("SHA-256", bytes),
      etag: await digestOf("MD5", bytes),
      size: bytes.length,
    })),
  );
  return locked.sort((a, b) => compareBytes(a.path, b.path));
}

/**
 * The canonical text of a package: a header line, then `<sha256> <size> <path>` per file in the byte order of paths,
 * each line ended by a line feed (paths contain none). Authors sign this text without the signature file's own line.
 */
export function canonicalText(files: readonly Pick<LockedFile, "path" | "sha256" | "size">[]): string {
  const sorted = files.toSorted((a, b) => compareBytes(a.path, b.path));
  return ["isopod-skill-v1", ...sorted.map(({ sha256, size, path }) => `${sha256} ${size} ${path}`), ""].join("\n");
}

/** The version of a skill without a declared one: that of its SKILL.md, as prompts show it. */
export function textVersion(files: readonly LockedFile[]): string {
  const text = files.find(({ path }) => path === SKILL_FILE);
  return `sha256:${text?.sha256.slice(0, 16)}`;
}

/** The digest of all files of a skill, in lower-case hex; equal for equal paths and bytes. */
export function packageDigest(files: readonly LockedFile[]): Promise<string> {
  return digestOf("SHA-256", encoder.encode(canonicalText(files)));
}

/** Compares strings by their UTF-8 bytes; JavaScript compares UTF-16 units, which differs for emoji. */
function compareBytes(a: string, b: string): number {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at === -1 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}

/** A digest of a folder's files by path and etag: it changes when a file is changed, added or removed. */
export function folderDigest(files: Iterable<{ path: string; etag: string }>): Promise<string> {
  const lines = [...files].map(({ path, etag }) => JSON.stringify([path.normalize("NFC"), etag]));
  return shortDigest(lines.sort().join("\n"));
}
