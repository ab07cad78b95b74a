import { folderDigest } from "../../skills/folder-digest.ts";
import type { SkillFile, SkillRoot } from "../../skills/skill.ts";
import { decodeText, detectEncoding } from "../../workspace/decode-text.ts";

/** Most files that are named, and the largest SKILL.md that is shown, in bytes. */
const MAX_FILES = 500;
const MAX_TEXT_BYTES = 512 * 1024;

/** The folder of a skill, as it is now. */
export interface SkillFolder {
  /** By path, relative to the folder. */
  files: SkillFile[];
  /** How many there are besides. */
  more: number;
  /** A digest of all of them: who accepts the skill names what was looked at by it. */
  seen: string;
  /** Of its SKILL.md; undefined where that is gone, too large to be shown or no text. */
  text: string | undefined;
}

/**
 * Looks into the folder of the skill whose SKILL.md is at a location, usable or not; undefined where no root has such a place.
 * @throws where its store does not answer
 */
export async function skillFolder(location: string, roots: readonly SkillRoot[]): Promise<SkillFolder | undefined> {
  const root = roots.find(({ address }) => location.startsWith(address) && location !== address);
  if (root === undefined) return undefined;
  const path = location.slice(root.address.length);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const inside = (await root.list()).filter((file) => file.path.startsWith(folder));
  const files = inside.map((file) => ({ ...file, path: file.path.slice(folder.length) }));
  const own = inside.find((file) => file.path === path);
  return {
    files: files.slice(0, MAX_FILES),
    more: Math.max(0, files.length - MAX_FILES),
    seen: await folderDigest(files),
    text: await textOf(root, own),
  };
}

async function textOf(root: SkillRoot, file: SkillFile | undefined): Promise<string | undefined> {
  if (file === undefined || file.size > MAX_TEXT_BYTES) return undefined;
  const bytes = await root.read(file.path);
  if (bytes === undefined) return undefined;
  const decoded = decodeText({ bytes, offset: 0, isEnd: true }, detectEncoding(bytes));
  return decoded.kind === "text" ? decoded.text : undefined;
}
