import { hostOf } from "../lib/url.ts";
import type { TurnSkills } from "../services/skills/turn-skills.ts";
import type { Skill } from "../skills/skill.ts";
import { textOf } from "../workspace/labelled.ts";
import { type Workspace, WorkspaceError } from "../workspace/workspace.ts";

/** Most files of a skill that are looked at, and the largest. */
const MAX_FILES = 30;
const MAX_FILE_BYTES = 256 * 1024;

const ADDRESS = /\bhttps?:\/\/[a-z0-9.-]+(?::\d{1,5})?/gi;

/**
 * The hosts of the skills that a script uses: those that stand in a skill's files. A skill is in use if the script names
 * its folder. Files of the workspace whose words are not the owner's do not count.
 */
export async function hostsOfSkillsIn(
  script: string,
  { set, files }: Pick<TurnSkills, "set" | "files">,
  workspace: Pick<Workspace, "walk" | "read">,
): Promise<string[]> {
  const used = set.eligible.filter((skill) => namesFolder(script, skill));
  const texts = await Promise.all(used.map((skill) => textsOf(skill, files, workspace)));
  const addresses = texts.flat().flatMap((text) => [...text.matchAll(ADDRESS)].map(([address]) => address));
  return [...new Set(addresses.map(hostOf))];
}

/** Whether a script names the folder of a skill, as an absolute path or from the workspace. */
function namesFolder(script: string, { baseDir, location }: Skill): boolean {
  const folder = location.slice(0, location.lastIndexOf("/") + 1);
  return script.includes(`${baseDir}/`) || (!location.includes("://") && script.includes(folder));
}

async function textsOf(
  { location }: Skill,
  files: TurnSkills["files"],
  workspace: Pick<Workspace, "walk" | "read">,
): Promise<string[]> {
  const folder = location.slice(0, location.lastIndexOf("/"));
  try {
    const isOutside = location.includes("://");
    const found = isOutside ? await files.list(folder) : (await workspace.walk(folder)).filter(({ labels }) => !labels);
    const small = found.filter(({ size }) => size <= MAX_FILE_BYTES).slice(0, MAX_FILES);
    const read = async (path: string) => (isOutside ? files.readFile(path) : (await workspace.read(path)).bytes);
    const texts = await Promise.all(small.map(async ({ path }) => textOf((await read(path)) ?? new Uint8Array())));
    return texts.filter((text) => text !== undefined);
  } catch (thrown) {
    // A skill that cannot be read has no hosts: its requests are asked about.
    if (thrown instanceof WorkspaceError) return [];
    throw thrown;
  }
}
