import { readFile, stat } from "node:fs/promises";
import { zipSync } from "fflate";
import type { SkillOrigin } from "../client/skill-request.ts";
import { Problem } from "./problem.ts";
import { skillFilesIn } from "./skill-files.ts";

/** Largest archive that is sent, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;
/** Of every file in an archive made here, so that the same files are the same bytes. */
const MODIFIED = "1980-01-01T00:00:00";

/**
 * What somebody means who names a folder, an archive, an address, or a slug of ClawHub, with `@version` where it is to
 * be that one. What is there on this machine goes first.
 * @throws Problem where it is none of these
 */
export async function skillOrigin(target: string): Promise<SkillOrigin> {
  if (/^https?:\/\//i.test(target)) return { kind: "url", url: target };
  const there = await stat(target).catch(() => undefined);
  if (there?.isDirectory()) return packed(target);
  if (there?.isFile()) return archive(target);
  const [, slug, version] = /^((?:@?[a-z0-9][\w.-]*\/)?[a-z0-9][\w-]*)(?:@([\w.+-]+))?$/i.exec(target) ?? [];
  if (slug !== undefined) return { kind: "slug", slug, ...(version !== undefined && { version }) };
  throw new Problem(`'${target}' is no folder or archive here, no address, and no slug of ClawHub.`);
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
  throw new Problem(`${file} is no archive: it is neither a .zip nor a .tar.gz.`);
}

function bounded<Bytes extends Uint8Array>(bytes: Bytes, name: string): Bytes {
  if (bytes.length <= MAX_BYTES) return bytes;
  throw new Problem(`${name} is too large: ${bytes.length} bytes as an archive, and 10 MiB are the most.`);
}
