import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { zipSync } from "fflate";
import type { SkillOrigin } from "../client/skill-request.ts";
import { Problem } from "./problem.ts";

/** Files of operating systems and tools that no skill needs; the server leaves them out of archives too. */
const LEFT_BEHIND = /(?:^|\/)(?:__MACOSX|\.git)(?:\/|$)|(?:^|\/)(?:\.DS_Store|Thumbs\.db|\._[^/]+)$/;
/** Largest archive to send, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;
/** The modification time of every archived file, so that the same files make the same archive. */
const MODIFIED = "1980-01-01T00:00:00";

/**
 * Resolves the name of a folder, an archive, a URL, or a slug of ClawHub with an optional `@version`. A local file or
 * folder takes precedence.
 * @throws Problem where the name is none of these
 */
export async function skillOrigin(target: string): Promise<SkillOrigin> {
  if (/^https?:\/\//i.test(target)) return { kind: "url", url: target };
  const there = await stat(target).catch(() => undefined);
  if (there?.isDirectory()) return packed(target);
  if (there?.isFile()) return archive(target);
  const [, slug, version] = /^((?:@?[a-z0-9][\w.-]*\/)?[a-z0-9][\w-]*)(?:@([\w.+-]+))?$/i.exec(target) ?? [];
  if (slug !== undefined) return { kind: "slug", slug, ...(version !== undefined && { version }) };
  throw new Problem(`'${target}' is not a folder, an archive, a URL or a slug of ClawHub.`);
}

async function packed(folder: string): Promise<SkillOrigin> {
  const files = await skillFilesIn(folder);
  const entries = Object.fromEntries(files.map(({ path, bytes }) => [path, bytes]));
  const bytes = bounded(zipSync(entries, { mtime: MODIFIED, level: 9 }), folder);
  return { kind: "archive", bytes: new Uint8Array(bytes), type: "application/zip" };
}

async function archive(file: string): Promise<SkillOrigin> {
  const bytes = bounded(new Uint8Array(await readFile(file)), file);
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return { kind: "archive", bytes, type: "application/zip" };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { kind: "archive", bytes, type: "application/gzip" };
  throw new Problem(`${file} is not an archive: it is neither a .zip nor a .tar.gz.`);
}

function bounded<Bytes extends Uint8Array>(bytes: Bytes, name: string): Bytes {
  if (bytes.length <= MAX_BYTES) return bytes;
  throw new Problem(`${name} is too large: ${bytes.length} bytes as an archive; the limit is 10 MiB.`);
}

/** A file of a skill: its path in the skill's folder, with `/`. */
export interface SkillFile {
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The files of a skill's folder, sorted by the bytes of their paths; links are not followed.
 * @throws Problem where the folder cannot be read or has no SKILL.md
 */
export async function skillFilesIn(folder: string): Promise<SkillFile[]> {
  const root = resolve(folder);
  try {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const named = files
      .map((file) => ({ file, path: relative(root, file).split(sep).join("/").normalize("NFC") }))
      .filter(({ path }) => !LEFT_BEHIND.test(path))
      .sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
    if (!named.some(({ path }) => path === "SKILL.md"))
      throw new Problem(`${root} has no SKILL.md, so it is not a skill.`);
    return await Promise.all(
      named.map(async ({ file, path }) => ({ path, bytes: new Uint8Array(await readFile(file)) })),
    );
  } catch (error) {
    if (error instanceof Error && "code" in error) throw new Problem(`${root} cannot be read: ${error.message}`);
    throw error;
  }
}
