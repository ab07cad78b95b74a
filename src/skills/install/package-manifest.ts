import { digestOf } from "../../lib/digest.ts";
import { shortDigest } from "../../lib/short-digest.ts";
import type { PackageFile } from "./archive.ts";

/** A file as the lock has it. */
export interface LockedFile {
  /** Relative to the skill's folder. */
  path: string;
  /** Lower-case hex. */
  sha256: string;
  /** What R2 gives for these bytes when they are stored whole: their MD5. */
  etag: string;
  /** In bytes. */
  size: number;
}

/** What makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";

/** Where an author's signature is, in the skill's folder. */
export const SIGNATURE_FILE = "SKILL.sig";

const encoder = new TextEncoder();

/** What is to be known of each file, in the order of the bytes of their paths. */
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
 * The one text for these files: a first line, then `<sha256> <size> <path>` for each, in the order of the bytes of their paths, every
 * line ended by a line feed. No path has a line feed in it. This is what is signed, without the signature's own file.
 */
export function canonicalText(files: readonly Pick<LockedFile, "path" | "sha256" | "size">[]): string {
  const sorted = files.toSorted((a, b) => compareBytes(a.path, b.path));
  return ["isopod-skill-v1", ...sorted.map(({ sha256, size, path }) => `${sha256} ${size} ${path}`), ""].join("\n");
}

/** The version of a skill for which nobody has declared one: that of its SKILL.md, as prompts show it. */
export function textVersion(files: readonly LockedFile[]): string {
  const text = files.find(({ path }) => path === SKILL_FILE);
  return `sha256:${text?.sha256.slice(0, 16)}`;
}

/** The digest of all files of a skill, in lower-case hex: the same for the same names with the same bytes. */
export function packageDigest(files: readonly LockedFile[]): Promise<string> {
  return digestOf("SHA-256", encoder.encode(canonicalText(files)));
}

/** Sorts as the bytes of UTF-8 do; JavaScript's own order is another where there are emoji. */
function compareBytes(a: string, b: string): number {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at === -1 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}

/** A digest of a folder's files by path and etag: it changes whenever one is changed, added or taken away. */
export function folderDigest(files: Iterable<{ path: string; etag: string }>): Promise<string> {
  const lines = [...files].map(({ path, etag }) => JSON.stringify([path.normalize("NFC"), etag]));
  return shortDigest(lines.sort().join("\n"));
}
