import { readdir, readFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { Problem } from "./problem.ts";

/** What systems and tools leave behind and no skill needs; an archive's are left out by the server, too. */
const LEFT_BEHIND = /(?:^|\/)(?:__MACOSX|\.git)(?:\/|$)|(?:^|\/)(?:\.DS_Store|Thumbs\.db|\._[^/]+)$/;

/** A file of a skill: its path in the skill's folder, with `/`. */
export interface SkillFile {
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The files of a skill's folder, in the order of the bytes of their paths; links are not followed.
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
    if (!named.some(({ path }) => path === "SKILL.md")) throw new Problem(`${root} has no SKILL.md: it is no skill.`);
    return await Promise.all(
      named.map(async ({ file, path }) => ({ path, bytes: new Uint8Array(await readFile(file)) })),
    );
  } catch (error) {
    if (error instanceof Error && "code" in error) throw new Problem(`${root} cannot be read: ${error.message}`);
    throw error;
  }
}
