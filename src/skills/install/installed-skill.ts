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

/** An entry of an installed skill with its folder. */
export interface InstalledSkill {
  folder: string;
  entry: Extract<LockEntry, { state: "installed" }>;
}

/**
 * The installed skill that a name or folder means. Work that was cut off is finished first.
 * @throws IsopodError `not_found`, `conflict` where somebody is at work on it or its entry is damaged
 */
export async function findInstalled(place: InstallTarget, name: string): Promise<InstalledSkill> {
  await finishAbandoned(place);
  const lock = usableLock(await readLock(place), place);
  const folder = findFolder(lock, name);
  const entry = folder === undefined ? undefined : lock.skills.get(folder);
  if (folder === undefined || entry === undefined) {
    const where = place.scope === "agent" ? "in this agent's workspace" : "for all agents";
    const message = `No skill ${quotedName(name)} is installed ${where}.`;
    throw refused("not_installed", message, OTHERWISE[place.scope], "not_found");
  }
  if (entry.state === "installed") return { folder, entry };
  if (entry.state !== "damaged") throw busyRefusal(folder);
  const hint = `Install it again with \`replace\`, or mend its entry in ${place.lockKey} in the bucket.`;
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

/** What is recorded of an installed skill, as people are told. */
export interface InstalledView {
  name: string;
  folder: string;
  location: string;
  /** Whether all agents have it. */
  global: boolean;
  version: string;
  source: LockSource;
  signature: SignatureFinding;
  /** Whether an owner has accepted it as something else than was installed. */
  modified: boolean;
  /** Milliseconds since the epoch. */
  installedAt: number;
  fileCount: number;
  bytes: number;
}

/** An entry of a lock as people are told of it. */
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

/** What is installed in some places, by the location of each SKILL.md. A lock that cannot be read has none. @throws WorkspaceError */
export async function installedByLocation(
  places: readonly InstallTarget[],
): Promise<ReadonlyMap<string, InstalledView>> {
  const locks = await Promise.all(places.map((place) => readLock(place)));
  const views = locks.flatMap((stored, index) => {
    const place = places[index];
    if (place === undefined || stored.kind === "damaged") return [];
    return [...stored.lock.skills].flatMap(([folder, entry]) =>
      entry.state === "damaged" ? [] : [installedView(place, folder, entry)],
    );
  });
  return new Map(views.map((view) => [view.location, view]));
}

export interface UpdateRequest {
  /** Of a registry's skill: the version that it is kept at from now on; `latest` for the newest, and no more kept at one. */
  version?: string | undefined;
  /** Whether local changes are given up; they are kept as versions. */
  force: boolean;
}

/** Gets an archive again; of a registry the newest where no version is named. @throws IsopodError */
export type RedownloadArchive = (
  source: Exclude<LockSource, { kind: "upload" }>,
  version: string | undefined,
) => Promise<SourcedArchive>;

const NEWEST = "latest";

/**
 * Gets an installed skill again from where it came from, and installs what is new.
 * @throws IsopodError where it cannot be got again, has local changes, or is another skill by now
 */
export async function updateSkill(
  place: InstallTarget,
  rules: PackageRules,
  name: string,
  { version, force }: UpdateRequest,
  get: RedownloadArchive,
): Promise<InstallResult> {
  const { folder, entry } = await findInstalled(place, name);
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
  const kept = source.kind === "clawhub" && source.pinned ? entry.version : undefined;
  const wanted = version ?? kept;
  const got = await get(source, wanted === NEWEST ? undefined : wanted);
  return installSkill(place, rules, { ...got, folderName: folder, replace: force, over: entry });
}

/** What a removal came to. */
export interface RemovalResult {
  folder: string;
  entry: RemovingEntry;
  /** Files that were not part of the install, and stay. Paths in the skill's folder. */
  left: string[];
}

/**
 * Removes an installed skill: the files that the lock lists, as they are now. They are kept as versions.
 * @throws IsopodError `not_found`, `conflict`
 */
export async function removeSkill(place: InstallTarget, name: string): Promise<RemovalResult> {
  const { folder, entry } = await findInstalled(place, name);
  const removing: RemovingEntry = { ...entry, state: "removing", workId: place.newId(), since: place.now() };
  await changeLock(place, (lock) => {
    const there = lock.skills.get(folder);
    if (there?.state === "removing" && there.workId === removing.workId) return undefined;
    if (JSON.stringify(there) !== JSON.stringify(entry)) throw busyRefusal(folder);
    return withEntry(lock, folder, removing);
  });
  await finishRemoval(place, folder, removing);
  return { folder, entry: removing, left: [...(await skillFolderFiles(place, folder)).keys()] };
}
