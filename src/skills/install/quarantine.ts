import { digestOf } from "../../lib/digest.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { WorkspaceError } from "../../workspace/workspace.ts";
import type { SkillFile, SkillRoot } from "../skill.ts";
import { finishAbandoned } from "./finish-work.ts";
import type { InstallTarget } from "./install-target.ts";
import { type DamagedEntry, type LockEntry, readLock, type StoredLock } from "./lock.ts";
import type { LockedFile } from "./package-manifest.ts";

/** The quarantined skills of an install target. */
export interface Quarantine {
  /** The reasons by location, for the gates' `quarantined`. */
  reasons: ReadonlyMap<string, string>;
  /** The locations of skills that are as they were installed, signed by a trusted key. */
  signed: ReadonlySet<string>;
  /** Why the skills could not be checked; all of them are quarantined then. */
  unanswered?: string;
}

/**
 * Checks which skills of a target are quarantined, and why. It costs one R2 read if the target has skills, and one for
 * each file whose etag differs from the lock. Never rejects.
 * @param finishes whether abandoned work is finished as well; those skills count from the next scan
 */
export async function checkQuarantine(
  target: InstallTarget,
  found: FilesByLocation,
  finishes: boolean,
): Promise<Quarantine> {
  const { address } = target;
  const here = new Map([...found].filter(([location]) => location.startsWith(address)));
  if (here.size === 0) return { reasons: new Map(), signed: new Set() };
  try {
    const lock = await readLock(target);
    const reasons = await integrityFaults({ lock, address, read: (path) => readInstalledFile(target, path) }, here);
    if (finishes) await finishAbandoned(target, lock);
    const locked = lock.kind === "damaged" ? new Map<string, LockEntry | DamagedEntry>() : lock.lock.skills;
    return {
      reasons,
      signed: new Set([...here.keys()].filter((location) => isSigned(location, address, reasons, locked))),
    };
  } catch (thrown) {
    log("warn", "skills.integrity_unknown", { lock: target.lockKey, error: messageOf(thrown) });
    const unanswered = `It could not be checked against its install: ${messageOf(thrown)} The check is repeated later.`;
    return {
      reasons: new Map([...here.keys()].map((location) => [location, unanswered])),
      signed: new Set(),
      unanswered,
    };
  }
}

function isSigned(
  location: string,
  address: string,
  reasons: ReadonlyMap<string, string>,
  skills: ReadonlyMap<string, LockEntry | DamagedEntry>,
): boolean {
  const [folder = ""] = location.slice(address.length).split("/");
  const entry = skills.get(folder);
  return !reasons.has(location) && entry?.state === "installed" && entry.signature.kind === "trusted";
}

async function readInstalledFile({ files, root }: InstallTarget, path: string): Promise<Uint8Array | undefined> {
  try {
    return (await files.read(root + path)).bytes;
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}

/** Most files named in a reason. */
const MAX_NAMED = 3;

/** For the location of each SKILL.md, the files of its folder with paths relative to it. */
export type FilesByLocation = ReadonlyMap<string, readonly SkillFile[]>;

/** What a root's skills are checked against. */
export interface IntegrityCheck {
  lock: StoredLock;
  /** The prefix of locations in this root. */
  address: InstallTarget["address"];
  /** Reads files whose etag differs; their bytes may still be the same. */
  read: SkillRoot["read"];
}

/**
 * The reasons against skills, by location: their files differ from the install, or the install is unfinished. Skills
 * that are not in the lock are not checked; if the lock is damaged, none is trusted. Reads only files whose etag
 * differs from the lock.
 */
async function integrityFaults(at: IntegrityCheck, found: FilesByLocation): Promise<ReadonlyMap<string, string>> {
  const { lock, address } = at;
  const reasons = new Map<string, string>();
  for (const [location, files] of found) {
    if (!location.startsWith(address)) continue;
    const reason = lock.kind === "damaged" ? UNKNOWN : await faultReason(at, location, files, lock.lock.skills);
    if (reason !== undefined) reasons.set(location, reason);
  }
  return reasons;
}

const UNKNOWN =
  "The record of installed skills cannot be read, so this skill cannot be checked against its install. The doctor reports the fix.";

async function faultReason(
  at: IntegrityCheck,
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
  const differences = await lockDifferences(at, `${folder}/`, entry.files, files);
  if (differences.length === 0) return undefined;
  const more = differences.length > MAX_NAMED ? ` and ${differences.length - MAX_NAMED} more` : "";
  return `It is not what was installed: ${differences.slice(0, MAX_NAMED).join(", ")}${more}. ${WHAT_TO_DO}`;
}

const WHAT_TO_DO = "Look at it and accept it as it is, update it with `force`, or remove it.";

async function lockDifferences(
  { read }: IntegrityCheck,
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
    else if (!(await isLockedFile(read, file, found, start))) differences.push(`\`${file.path}\` was changed`);
  }
  return [...differences, ...[...there.keys()].map((path) => `\`${path}\` was added`)];
}

async function isLockedFile(
  read: SkillRoot["read"],
  locked: LockedFile,
  found: SkillFile,
  start: string,
): Promise<boolean> {
  if (found.etag === locked.etag) return true;
  if (found.size !== locked.size) return false;
  const bytes = await read(`${start}${found.path}`);
  return bytes !== undefined && (await digestOf("SHA-256", bytes)) === locked.sha256;
}
