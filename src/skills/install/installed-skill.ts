import { finishAbandoned, finishRemoval, skillFolderFiles } from "./finish-work.ts";
import { busyRefusal, type InstallResult, installSkill, type SourcedArchive } from "./install-skill.ts";
import type { InstallTarget } from "./install-target.ts";
import {
  changeLock,
  findFolder,
  type LockEntry,
  type LockSource,
  type RemovingEntry,
  readLock,
  usableLock,
  withEntry,
} from "./lock.ts";
import { quotedName, refused } from "./refusal.ts";
import type { SignatureFinding } from "./signature.ts";
import type { PackageRules } from "./skill-package.ts";

/** An installed skill: its folder and its lock entry. */
export interface InstalledSkill {
  folder: string;
  entry: Extract<LockEntry, { state: "installed" }>;
}

/**
 * Finds an installed skill by name or folder, after finishing abandoned work.
 * @throws IsopodError `not_found`; `conflict` if it is being changed or its entry is damaged
 */
export async function findInstalled(target: InstallTarget, name: string): Promise<InstalledSkill> {
  await finishAbandoned(target);
  const lock = usableLock(await readLock(target), target);
  const folder = findFolder(lock, name);
  const entry = folder === undefined ? undefined : lock.skills.get(folder);
  if (folder === undefined || entry === undefined) {
    const where = target.scope === "agent" ? "in this agent's workspace" : "for all agents";
    const message = `No skill ${quotedName(name)} is installed ${where}.`;
    throw refused("not_installed", message, OTHERWISE[target.scope], "not_found");
  }
  if (entry.state === "installed") return { folder, entry };
  if (entry.state !== "damaged") throw busyRefusal(folder);
  const hint = `Install it again with \`replace\`, or mend its entry in ${target.lockKey} in the bucket.`;
  throw refused(
    "lock_damaged",
    `What is recorded of ${quotedName(folder)} cannot be read: ${entry.why}`,
    hint,
    "conflict",
  );
}

const OTHERWISE = {
  agent: "A skill of all agents is meant with `global`. One that was written in the workspace is changed there.",
  managed: "One of a single agent is meant without `global`.",
};

/** What the lock records of an installed skill, for display. */
export interface InstalledView {
  name: string;
  folder: string;
  location: string;
  /** Whether it is installed for all agents. */
  global: boolean;
  version: string;
  source: LockSource;
  signature: SignatureFinding;
  /** Whether an owner accepted changes to its files. */
  modified: boolean;
  /** Milliseconds since the epoch. */
  installedAt: number;
  fileCount: number;
  bytes: number;
}

/** A lock entry for display. */
export function installedView(
  { address, scope }: Pick<InstallTarget, "address" | "scope">,
  folder: string,
  entry: LockEntry,
): InstalledView {
  const { name, version, source, signature, modified = false, installedAt, files } = entry;
  return {
    name,
    folder,
    location: `${address}${folder}/SKILL.md`,
    global: scope === "managed",
    version,
    source,
    signature,
    modified,
    installedAt,
    fileCount: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
  };
}

/**
 * The installed skills of some targets, by the location of each SKILL.md. A damaged lock yields none.
 * @throws WorkspaceError
 */
export async function installedByLocation(
  targets: readonly InstallTarget[],
): Promise<ReadonlyMap<string, InstalledView>> {
  const locks = await Promise.all(targets.map((target) => readLock(target)));
  const views = locks.flatMap((stored, index) => {
    const target = targets[index];
    if (target === undefined || stored.kind === "damaged") return [];
    return [...stored.lock.skills].flatMap(([folder, entry]) =>
      entry.state === "damaged" ? [] : [installedView(target, folder, entry)],
    );
  });
  return new Map(views.map((view) => [view.location, view]));
}

export interface UpdateRequest {
  /** For skills of a registry: the version to pin, or `latest` to unpin. */
  version?: string | undefined;
  /** Whether local changes are overwritten; they are kept as versions. */
  force: boolean;
}

/** Downloads an archive again; of a registry, the newest version unless one is named. @throws IsopodError */
export type RedownloadArchive = (
  source: Exclude<LockSource, { kind: "upload" }>,
  version: string | undefined,
) => Promise<SourcedArchive>;

const NEWEST = "latest";

/**
 * Downloads an installed skill again from its source, and installs it if it changed.
 * @throws IsopodError if it cannot be downloaded, has local changes, or is now another skill
 */
export async function updateSkill(
  target: InstallTarget,
  rules: PackageRules,
  name: string,
  { version, force }: UpdateRequest,
  redownload: RedownloadArchive,
): Promise<InstallResult> {
  const { folder, entry } = await findInstalled(target, name);
  const { source } = entry;
  if (source.kind === "upload") {
    const hint = "Upload the new archive, with `replace`.";
    throw refused(
      "no_source",
      `${quotedName(folder)} was uploaded, so there is nowhere to get it from.`,
      hint,
      "conflict",
    );
  }
  if (version !== undefined && source.kind === "url") {
    throw refused(
      "no_versions",
      `${quotedName(folder)} came from an address, which has no versions.`,
      "Leave `version` out.",
    );
  }
  const pinnedVersion = source.kind === "clawhub" && source.pinned ? entry.version : undefined;
  const requestedVersion = version ?? pinnedVersion;
  const downloaded = await redownload(source, requestedVersion === NEWEST ? undefined : requestedVersion);
  return installSkill(target, rules, { ...downloaded, folderName: folder, replace: force, over: entry });
}

/** The result of a removal. */
export interface RemovalResult {
  folder: string;
  entry: RemovingEntry;
  /** Files that were not part of the install and are kept. Paths in the skill's folder. */
  left: string[];
}

/**
 * Removes an installed skill: the current versions of the files in its lock entry, which are kept as versions.
 * @throws IsopodError `not_found`, `conflict`
 */
export async function removeSkill(target: InstallTarget, name: string): Promise<RemovalResult> {
  const { folder, entry } = await findInstalled(target, name);
  const removing: RemovingEntry = { ...entry, state: "removing", workId: target.newId(), since: target.now() };
  await changeLock(target, (lock) => {
    const there = lock.skills.get(folder);
    if (there?.state === "removing" && there.workId === removing.workId) return undefined;
    if (JSON.stringify(there) !== JSON.stringify(entry)) throw busyRefusal(folder);
    return withEntry(lock, folder, removing);
  });
  await finishRemoval(target, folder, removing);
  return { folder, entry: removing, left: [...(await skillFolderFiles(target, folder)).keys()] };
}
