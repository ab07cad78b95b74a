import { digestOf } from "../../lib/digest.ts";
import type { SkillFile, SkillRoot } from "../skill.ts";
import type { InstallPlace } from "./install-place.ts";
import type { DamagedEntry, LockEntry } from "./lock.ts";
import type { StoredLock } from "./lock-store.ts";
import type { LockedFile } from "./manifest.ts";

/** Most files that a reason names. */
const MAX_NAMED = 3;

/** The skills that were found in one root: for the location of each SKILL.md, the files of its folder, by paths in it. */
export type FoundFiles = ReadonlyMap<string, readonly SkillFile[]>;

/** What the integrity of a root's skills is judged by. */
export interface IntegrityOf {
  lock: StoredLock;
  /** What the location of a skill of this root begins with. */
  address: InstallPlace["address"];
  /** For files whose etag is another; they may have the same bytes all the same. */
  read: SkillRoot["read"];
}

/**
 * Why skills are not to be used, by their location: those that are not what was installed, and those whose install is not at
 * its end. A skill that nobody installed is not in a lock and is nobody's business here; but where the lock cannot be read,
 * none is trusted. Reads only files whose etag is not the lock's.
 */
export async function integrityOf(at: IntegrityOf, found: FoundFiles): Promise<ReadonlyMap<string, string>> {
  const { lock, address } = at;
  const reasons = new Map<string, string>();
  for (const [location, files] of found) {
    if (!location.startsWith(address)) continue;
    const reason = lock.kind === "damaged" ? UNKNOWN : await reasonFor(at, location, files, lock.lock.skills);
    if (reason !== undefined) reasons.set(location, reason);
  }
  return reasons;
}

const UNKNOWN =
  "The record of installed skills cannot be read, so nobody knows whether this is what was installed. The doctor says what to do.";

async function reasonFor(
  at: IntegrityOf,
  location: string,
  files: readonly SkillFile[],
  skills: ReadonlyMap<string, LockEntry | DamagedEntry>,
): Promise<string | undefined> {
  const [folder = ""] = location.slice(at.address.length).split("/");
  const entry = skills.get(folder);
  if (entry === undefined) return undefined;
  if (entry.state === "installing") return "It is being installed, and is not whole yet.";
  if (entry.state === "removing") return "It is being removed.";
  if (entry.state === "damaged") return "What is recorded of it cannot be read. Install it again with `replace`.";
  if (location !== `${at.address}${folder}/SKILL.md`) {
    return `It is inside the installed skill \`${folder}\`, whose own SKILL.md is gone. ${WHAT_TO_DO}`;
  }
  const differences = await differencesOf(at, `${folder}/`, entry.files, files);
  if (differences.length === 0) return undefined;
  const more = differences.length > MAX_NAMED ? ` and ${differences.length - MAX_NAMED} more` : "";
  return `It is not what was installed: ${differences.slice(0, MAX_NAMED).join(", ")}${more}. ${WHAT_TO_DO}`;
}

const WHAT_TO_DO = "Look at it and accept it as it is, update it with `force`, or remove it.";

async function differencesOf(
  { read }: IntegrityOf,
  start: string,
  locked: readonly LockedFile[],
  files: readonly SkillFile[],
): Promise<string[]> {
  const there = new Map(files.map((file) => [file.path.normalize("NFC"), file]));
  const differences: string[] = [];
  for (const file of locked) {
    const found = there.get(file.path);
    there.delete(file.path);
    if (found === undefined) differences.push(`\`${file.path}\` is missing`);
    else if (!(await isSame(read, file, found, start))) differences.push(`\`${file.path}\` was changed`);
  }
  return [...differences, ...[...there.keys()].map((path) => `\`${path}\` was added`)];
}

async function isSame(read: SkillRoot["read"], locked: LockedFile, found: SkillFile, start: string): Promise<boolean> {
  if (found.etag === locked.etag) return true;
  if (found.size !== locked.size) return false;
  const bytes = await read(`${start}${found.path}`);
  return bytes !== undefined && (await digestOf("SHA-256", bytes)) === locked.sha256;
}
