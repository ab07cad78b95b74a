import type { SkillFile } from "./skill.ts";

/** A folder with a SKILL.md. */
export interface SkillDirectory {
  /** Relative to its root; "" where it is the root itself. */
  folder: string;
  /** Its SKILL.md, its path relative to the root. */
  file: SkillFile;
  /** Every file in the folder and below it, their paths relative to the folder. */
  files: SkillFile[];
}

/** A SKILL.md that is not looked at. */
export interface SkippedSkill {
  path: string;
  folder: string;
  code: "too_deep" | "too_many" | "below_root";
}

/** Folders below a root in which a SKILL.md is still found. A folder `skills` at the top does not count. */
export const MAX_DEPTH = 6;

/**
 * The skills among the files of a root, by folder. Whoever has a SKILL.md has all that is below it. Hidden folders and
 * `node_modules` are not looked into; where the root itself is a skill there is no other in it.
 */
export function findSkills(
  files: readonly SkillFile[],
  maxCandidates: number,
): { found: SkillDirectory[]; passedOver: SkippedSkill[] } {
  const byFolder = skillFiles(files);
  const found: SkillDirectory[] = [];
  const passedOver: SkippedSkill[] = [];
  const pass = (code: SkippedSkill["code"], folder: string, { path }: SkillFile) =>
    passedOver.push({ path, folder, code });
  const isRootSkill = byFolder.has("");
  for (const [folder, file] of [...byFolder].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (folder !== "" && isRootSkill) pass("below_root", folder, file);
    else if (isInside(folder, byFolder)) continue;
    else if (folderDepth(folder) > MAX_DEPTH) pass("too_deep", folder, file);
    else if (found.length >= maxCandidates) pass("too_many", folder, file);
    else found.push({ folder, file, files: [] });
  }
  assignFiles(files, found);
  return { found, passedOver };
}

/** The SKILL.md of each folder that has one, also where its name is in lower case. */
function skillFiles(files: readonly SkillFile[]): Map<string, SkillFile> {
  const byFolder = new Map<string, SkillFile>();
  for (const file of files) {
    const slash = file.path.lastIndexOf("/");
    const [folder, name] = [file.path.slice(0, Math.max(slash, 0)), file.path.slice(slash + 1)];
    if (name.toLowerCase() !== "skill.md" || isHidden(folder)) continue;
    const other = byFolder.get(folder);
    // Capitals sort first: of several spellings, SKILL.md is the one.
    if (other === undefined || file.path < other.path) byFolder.set(folder, file);
  }
  return byFolder;
}

function isHidden(folder: string): boolean {
  return folder.split("/").some((name) => name.startsWith(".") || name === "node_modules");
}

function isInside(folder: string, byFolder: ReadonlyMap<string, SkillFile>): boolean {
  for (let slash = folder.lastIndexOf("/"); slash > 0; slash = folder.lastIndexOf("/", slash - 1)) {
    if (byFolder.has(folder.slice(0, slash))) return true;
  }
  return false;
}

function folderDepth(folder: string): number {
  const names = folder.split("/");
  return names[0] === "skills" && names.length > 1 ? names.length - 1 : names.length;
}

/** Gives each skill the files of its folder. */
function assignFiles(files: readonly SkillFile[], found: readonly SkillDirectory[]): void {
  const owners = new Map(found.map((skill) => [skill.folder, skill]));
  for (const file of files) {
    const owner = owningSkill(file.path, owners);
    if (owner === undefined) continue;
    const path = owner.folder === "" ? file.path : file.path.slice(owner.folder.length + 1);
    owner.files.push({ path, etag: file.etag, size: file.size });
  }
}

function owningSkill(path: string, owners: ReadonlyMap<string, SkillDirectory>): SkillDirectory | undefined {
  const root = owners.get("");
  if (root !== undefined) return root;
  for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
    const owner = owners.get(path.slice(0, slash));
    if (owner !== undefined) return owner;
  }
  return undefined;
}
