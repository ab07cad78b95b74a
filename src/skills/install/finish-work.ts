import { atMost } from "../../lib/at-most.ts";
import { log } from "../../lib/log.ts";
import { WorkspaceError, type WorkspaceFile } from "../../workspace/workspace.ts";
import type { PackageFile } from "./archive.ts";
import type { InstallTarget } from "./install-target.ts";
import {
  changeLock,
  type InstallingEntry,
  installedEntry,
  type RemovingEntry,
  readLock,
  type StoredLock,
  withEntry,
  withoutEntry,
} from "./lock.ts";
import { SKILL_FILE } from "./package-manifest.ts";
import { dropPackage, getPackage } from "./package-store.ts";

/** R2 lets a Worker have six connections at once. */
const AT_ONCE = 4;

/** After so many milliseconds, work that has no end yet is gone on with by whoever finds it. */
export const ABANDONED_MS = 60_000;

/** The files in a skill's folder, by their path in it. */
export async function skillFolderFiles(place: InstallTarget, folder: string): Promise<Map<string, WorkspaceFile>> {
  const start = `${place.root}${folder}/`;
  const files = await place.files.walk(start.slice(0, -1));
  return new Map(files.map((file) => [file.path.slice(start.length).normalize("NFC"), file]));
}

/**
 * Goes through with an install: writes what is missing, takes away what was there before, and marks it as installed. Every step is
 * conditional on what the entry says, and may be done twice and by two at once. What somebody else has written meanwhile
 * stays, and the skill is then quarantined as changed.
 * @param files the package's, where they are at hand
 * @throws WorkspaceError `unavailable`: then it is not finished, and whoever comes next goes on
 */
export async function finishInstall(
  place: InstallTarget,
  folder: string,
  entry: InstallingEntry,
  files?: readonly PackageFile[],
): Promise<void> {
  const bytes = files ?? (await getPackage(place, entry.package, entry.files));
  if (bytes === undefined) return revertInstall(place, folder, entry);
  const write = await fileWriter(place, folder, entry);
  await atMost(
    AT_ONCE,
    bytes.filter(({ path }) => path !== SKILL_FILE),
    write,
  );
  const kept = new Set(entry.files.map(({ path }) => path));
  await atMost(
    AT_ONCE,
    entry.before.filter(({ path }) => !kept.has(path)),
    ({ path, etag }) => removeOver(place, `${place.root}${folder}/${path}`, etag),
  );
  await atMost(
    1,
    bytes.filter(({ path }) => path === SKILL_FILE),
    write,
  );
  await changeLock(place, (lock) => {
    const one = lock.skills.get(folder);
    const isMine = one?.state === "installing" && one.workId === entry.workId;
    return isMine ? withEntry(lock, folder, installedEntry(one)) : undefined;
  });
  await dropPackage(place, entry.package);
}

/** Goes through with a removal: SKILL.md goes first, and what the lock does not list stays. May be done twice. */
export async function finishRemoval(place: InstallTarget, folder: string, entry: RemovingEntry): Promise<void> {
  const there = await skillFolderFiles(place, folder);
  const isFirst = (path: string) => path === SKILL_FILE;
  const listed = entry.files.filter(({ path }) => there.has(path));
  const remove = ({ path }: { path: string }) => removeOver(place, there.get(path)?.path ?? path, undefined);
  await atMost(
    1,
    listed.filter(({ path }) => isFirst(path)),
    remove,
  );
  await atMost(
    AT_ONCE,
    listed.filter(({ path }) => !isFirst(path)),
    remove,
  );
  await changeLock(place, (lock) => {
    const one = lock.skills.get(folder);
    return one?.state === "removing" && one.workId === entry.workId ? withoutEntry(lock, folder) : undefined;
  });
}

/**
 * Goes on with everything that is unfinished for longer than `ABANDONED_MS`, and gives the folders.
 * @param known the lock, where it was read just now
 * @throws WorkspaceError `unavailable`
 */
export async function finishAbandoned(place: InstallTarget, known?: StoredLock): Promise<string[]> {
  const stored = known ?? (await readLock(place));
  if (stored.kind === "damaged") return [];
  const folders: string[] = [];
  for (const [folder, entry] of stored.lock.skills) {
    if (entry.state !== "installing" && entry.state !== "removing") continue;
    if (entry.since > place.now() - ABANDONED_MS) continue;
    log("info", "skills.work_gone_on_with", { folder, state: entry.state, lock: place.lockKey });
    if (entry.state === "installing") await finishInstall(place, folder, entry);
    else await finishRemoval(place, folder, entry);
    folders.push(folder);
  }
  return folders;
}

async function fileWriter(place: InstallTarget, folder: string, entry: InstallingEntry) {
  const there = await skillFolderFiles(place, folder);
  const before = new Map(entry.before.map(({ path, etag }) => [path, etag]));
  const wanted = new Map(entry.files.map(({ path, etag }) => [path, etag]));
  return async ({ path, bytes }: PackageFile): Promise<void> => {
    const current = there.get(path)?.etag;
    if (current !== undefined && current === wanted.get(path)) return;
    const isOurs = current === undefined || current === before.get(path);
    if (!isOurs) return;
    const expect = current === undefined ? { kind: "new" as const } : { kind: "etag" as const, etag: current };
    await ignoreChangedFile(() => place.files.write(`${place.root}${folder}/${path}`, bytes, expect));
  };
}

/** Removes a file, only that version of it where one is named. */
async function removeOver(place: InstallTarget, path: string, etag: string | undefined): Promise<void> {
  await ignoreChangedFile(() =>
    place.files.remove(path, etag === undefined ? { kind: "any" } : { kind: "etag", etag }),
  );
}

/** Somebody else's change stays, and is seen by the next look at the skill's integrity. */
async function ignoreChangedFile(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && (thrown.code === "conflict" || thrown.code === "not_found")) return;
    throw thrown;
  }
}

/** The package is gone where another has finished meanwhile; else the install cannot be finished and is taken back. */
async function revertInstall(place: InstallTarget, folder: string, entry: InstallingEntry): Promise<void> {
  await changeLock(place, (lock) => {
    const one = lock.skills.get(folder);
    if (one?.state !== "installing" || one.workId !== entry.workId) return undefined;
    log("warn", "skills.package_lost", { folder, lock: place.lockKey });
    const { package: _, before, ...rest } = one;
    return withEntry(lock, folder, { ...rest, state: "removing" });
  });
}
