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

/** Files in progress at once; a Worker has six connections. */
const AT_ONCE = 4;

/** Work older than this, in milliseconds, counts as abandoned and is finished by the next caller. */
export const ABANDONED_MS = 60_000;

/** The files in a skill's folder, by path relative to it. */
export async function skillFolderFiles(target: InstallTarget, folder: string): Promise<Map<string, WorkspaceFile>> {
  const start = `${target.root}${folder}/`;
  const files = await target.files.walk(start.slice(0, -1));
  return new Map(files.map((file) => [file.path.slice(start.length).normalize("NFC"), file]));
}

/**
 * Finishes an install: writes missing files, removes files of the previous version, and marks the entry as installed.
 * Every step is conditional on the lock entry and idempotent, also when two callers run it at once. A file that
 * something else changed meanwhile is kept; the skill is then quarantined.
 * @param files the package's files, if they are in memory
 * @throws WorkspaceError `unavailable`: the next caller continues
 */
export async function finishInstall(
  target: InstallTarget,
  folder: string,
  entry: InstallingEntry,
  files?: readonly PackageFile[],
): Promise<void> {
  const bytes = files ?? (await getPackage(target, entry.package, entry.files));
  if (bytes === undefined) return revertInstall(target, folder, entry);
  const write = await fileWriter(target, folder, entry);
  await atMost(
    AT_ONCE,
    bytes.filter(({ path }) => path !== SKILL_FILE),
    write,
  );
  const newPaths = new Set(entry.files.map(({ path }) => path));
  await atMost(
    AT_ONCE,
    entry.before.filter(({ path }) => !newPaths.has(path)),
    ({ path, etag }) => removeOver(target, `${target.root}${folder}/${path}`, etag),
  );
  await atMost(
    1,
    bytes.filter(({ path }) => path === SKILL_FILE),
    write,
  );
  await changeLock(target, (lock) => {
    const one = lock.skills.get(folder);
    const isMine = one?.state === "installing" && one.workId === entry.workId;
    return isMine ? withEntry(lock, folder, installedEntry(one)) : undefined;
  });
  await dropPackage(target, entry.package);
}

/**
 * Finishes a removal: removes SKILL.md first, then the other files of the lock entry. Other files are kept. Idempotent.
 */
export async function finishRemoval(target: InstallTarget, folder: string, entry: RemovingEntry): Promise<void> {
  const there = await skillFolderFiles(target, folder);
  const isFirst = (path: string) => path === SKILL_FILE;
  const listed = entry.files.filter(({ path }) => there.has(path));
  const remove = ({ path }: { path: string }) => removeOver(target, there.get(path)?.path ?? path, undefined);
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
  await changeLock(target, (lock) => {
    const one = lock.skills.get(folder);
    return one?.state === "removing" && one.workId === entry.workId ? withoutEntry(lock, folder) : undefined;
  });
}

/**
 * Finishes all work older than `ABANDONED_MS`, and returns its folders.
 * @param known the lock, if it was just read
 * @throws WorkspaceError `unavailable`
 */
export async function finishAbandoned(target: InstallTarget, known?: StoredLock): Promise<string[]> {
  const stored = known ?? (await readLock(target));
  if (stored.kind === "damaged") return [];
  const folders: string[] = [];
  for (const [folder, entry] of stored.lock.skills) {
    if (entry.state !== "installing" && entry.state !== "removing") continue;
    if (entry.since > target.now() - ABANDONED_MS) continue;
    log("info", "skills.work_resumed", { folder, state: entry.state, lock: target.lockKey });
    if (entry.state === "installing") await finishInstall(target, folder, entry);
    else await finishRemoval(target, folder, entry);
    folders.push(folder);
  }
  return folders;
}

async function fileWriter(target: InstallTarget, folder: string, entry: InstallingEntry) {
  const there = await skillFolderFiles(target, folder);
  const before = new Map(entry.before.map(({ path, etag }) => [path, etag]));
  const newEtags = new Map(entry.files.map(({ path, etag }) => [path, etag]));
  return async ({ path, bytes }: PackageFile): Promise<void> => {
    const current = there.get(path)?.etag;
    if (current !== undefined && current === newEtags.get(path)) return;
    const isOurs = current === undefined || current === before.get(path);
    if (!isOurs) return;
    const expect = current === undefined ? { kind: "new" as const } : { kind: "etag" as const, etag: current };
    await ignoreChangedFile(() => target.files.write(`${target.root}${folder}/${path}`, bytes, expect));
  };
}

/** Removes a file; with an etag, only that version. */
async function removeOver(target: InstallTarget, path: string, etag: string | undefined): Promise<void> {
  await ignoreChangedFile(() =>
    target.files.remove(path, etag === undefined ? { kind: "any" } : { kind: "etag", etag }),
  );
}

/** Ignores a conflict: the other change is kept, and the next integrity check finds it. */
async function ignoreChangedFile(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && (thrown.code === "conflict" || thrown.code === "not_found")) return;
    throw thrown;
  }
}

/** Reverts an install whose package is gone, unless another caller has finished it. */
async function revertInstall(target: InstallTarget, folder: string, entry: InstallingEntry): Promise<void> {
  await changeLock(target, (lock) => {
    const one = lock.skills.get(folder);
    if (one?.state !== "installing" || one.workId !== entry.workId) return undefined;
    log("warn", "skills.package_lost", { folder, lock: target.lockKey });
    const { package: _, before, ...rest } = one;
    return withEntry(lock, folder, { ...rest, state: "removing" });
  });
}
