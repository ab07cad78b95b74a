import type { SkillFile } from "./skill.ts";

/** A folder that has a SKILL.md. */
export interface SkillDirectory {
  /** The path of the folder relative to its root; empty if it is the root itself. */
  folder: string;
  /** Its SKILL.md, with the path relative to the root. */
  file: SkillFile;
  /** All files in and below the folder, with paths relative to it. */
  files: SkillFile[];
}

/** A SKILL.md that is not read. */
export interface SkippedSkill {
  path: string;
  folder: string;
  code: "too_deep" | "too_many" | "below_root";
}

/** Deepest folder level of a SKILL.md below its root. A top folder named `skills` does not count. */
export const MAX_DEPTH = 6;

/**
 * Finds the skills among the files of a root, ordered by folder. A folder with a SKILL.md includes everything below it.
 * Hidden folders and `node_modules` are skipped; if the root itself is a skill, it is the only one.
 */
export function findSkills(
  files: readonly SkillFile[],
  maxCandidates: number,
): { found: SkillDirectory[]; skipped: SkippedSkill[] } {
  const byFolder = skillFiles(files);
  const found: SkillDirectory[] = [];
  const skipped: SkippedSkill[] = [];
  const pass = (code: SkippedSkill["code"], folder: string, { path }: SkillFile) =>
    skipped.push({ path, folder, code });
  const isRootSkill = byFolder.has("");
  for (const [folder, file] of [...byFolder].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (folder !== "" && isRootSkill) pass("below_root", folder, file);
    else if (isInside(folder, byFolder)) continue;
    else if (folderDepth(folder) > MAX_DEPTH) pass("too_deep", folder, file);
    else if (found.length >= maxCandidates) pass("too_many", folder, file);
    else found.push({ folder, file, files: [] });
  }
  assignFiles(files, found);
  return { found, skipped };
}

/** The SKILL.md of each folder, in any case. */
function skillFiles(files: readonly SkillFile[]): Map<string, SkillFile> {
  const byFolder = new Map<string, SkillFile>();
  for (const file of files) {
    const slash = file.path.lastIndexOf("/");
    const [folder, name] = [file.path.slice(0, Math.max(slash, 0)), file.path.slice(slash + 1)];
    if (name.toLowerCase() !== "skill.md" || isHidden(folder)) continue;
    const other = byFolder.get(folder);
    // Capitals sort first, so SKILL.md wins over other spellings.
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

/** Adds each file to the skill whose folder it is in. */
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
