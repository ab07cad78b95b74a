import { IsopodError } from "../../lib/errors.ts";
import { ABANDONED_MS, filesIn, finishAbandoned, finishInstall } from "./finish-work.ts";
import { folderNameOf } from "./folder-name.ts";
import type { GotArchive } from "./got-archive.ts";
import type { InstallPlace } from "./install-place.ts";
import { type DamagedEntry, type InstallingEntry, type Lock, type LockEntry, withEntry } from "./lock.ts";
import { changeLock, readLock, soundLock } from "./lock-store.ts";
import { type LockedFile, textVersion } from "./manifest.ts";
import { dropForgotten, dropPackage, putPackage } from "./package-store.ts";
import { refused, shown } from "./refuse.ts";
import { openPackage, type PackageRules, type SkillPackage } from "./skill-package.ts";

/** An archive to be installed. */
export interface InstallRequest extends GotArchive {
  /** Whether what has the folder already is replaced, whatever it is. */
  replace: boolean;
  /** Of an update: what it may replace where that is as the lock says. */
  over?: LockEntry | undefined;
}

/** What an install or an update came to. */
export interface InstallOutcome {
  /** `current`: it was there already, with these bytes; nothing was changed. */
  outcome: "installed" | "updated" | "current";
  folder: string;
  entry: LockEntry;
  /** Sentences about the archive. */
  notes: string[];
}

/**
 * Installs a skill, whole or not at all: everything is looked at first, then the package is stored, then the intent in the lock, from
 * where on whoever comes next goes through with it. Until then the skill is left out.
 * @throws IsopodError with what is in the way, and nothing changed; WorkspaceError `unavailable`
 */
export async function installSkill(
  place: InstallPlace,
  rules: PackageRules,
  request: InstallRequest,
): Promise<InstallOutcome> {
  const opened = await openPackage(request.archive, request.path, rules, sourceOf(place));
  refuseUnpromised(opened.manifest, request.promised);
  const folder = folderNameOf(request.called ?? opened.name) ?? `skill-${opened.digest.slice(0, 8)}`;
  await finishAbandoned(place);
  const lock = soundLock(await readLock(place), place);
  const before = await filesIn(place, folder);
  const known = lock.skills.get(folder);
  if (isSame(known, before, opened.manifest)) {
    const entry = await relabel(place, folder, known, opened, request);
    return { outcome: "current", folder, entry, notes: opened.notes };
  }
  refuseOccupied(known, before, folder, request);
  refuseStrangers(known, opened, request.replace, folder);
  await dropForgotten(place, lock, place.now());
  const overwritten = [...before].map(([path, { etag }]) => ({ path, etag }));
  const entry = await begin(place, folder, known, { opened, request, before: overwritten });
  await finishInstall(place, folder, entry, opened.files);
  const { workId, since, package: _, before: __, ...rest } = entry;
  const outcome = known === undefined ? "installed" : "updated";
  return { outcome, folder, entry: { ...rest, state: "installed" }, notes: opened.notes };
}

/** A registry adds files of its own to an archive; those that it tells of have to be as it says. */
function refuseUnpromised(manifest: readonly LockedFile[], promised: ReadonlyMap<string, string> = new Map()): void {
  const there = new Map(manifest.map(({ path, sha256 }) => [path, sha256]));
  for (const [path, sha256] of promised) {
    if (there.get(path) === sha256) continue;
    const what = there.has(path) ? "is another than the registry says" : "is missing, and the registry has it";
    throw refused("not_as_promised", `${shown(path)} ${what}.`, "Try again; if it stays so, tell the registry.");
  }
}

/** What a source of skills is called for a place. */
export function sourceOf({ scope }: Pick<InstallPlace, "scope">): "workspace" | "managed" {
  return scope === "agent" ? "workspace" : "managed";
}

/** Whether a folder holds just the files that a manifest names. */
function holdsJust(there: ReadonlyMap<string, { etag: string }>, files: readonly LockedFile[]): boolean {
  return there.size === files.length && files.every(({ path, etag }) => there.get(path)?.etag === etag);
}

function isSame(
  known: LockEntry | DamagedEntry | undefined,
  there: ReadonlyMap<string, { etag: string }>,
  manifest: readonly LockedFile[],
): known is LockEntry {
  return known?.state === "installed" && holdsJust(there, manifest) && holdsJust(there, known.files);
}

/** The same files may be of another version or source by now, and keys may have come to be trusted. */
async function relabel(
  place: InstallPlace,
  folder: string,
  known: LockEntry,
  { signature }: SkillPackage,
  { source, version = known.version }: InstallRequest,
): Promise<LockEntry> {
  const entry = { ...known, source, version, signature };
  await changeLock(place, (lock) => {
    const there = JSON.stringify(lock.skills.get(folder));
    return there === JSON.stringify(known) && there !== JSON.stringify(entry)
      ? withEntry(lock, folder, entry)
      : undefined;
  });
  return entry;
}

/** Nothing that is there is overwritten unasked, and no change of somebody else's by an update. */
function refuseOccupied(
  known: LockEntry | DamagedEntry | undefined,
  there: ReadonlyMap<string, { etag: string }>,
  folder: string,
  { replace, over }: InstallRequest,
): void {
  if (known?.state === "installing" || known?.state === "removing") throw busy(folder);
  if (replace) return;
  if (over !== undefined) {
    if (JSON.stringify(known) !== JSON.stringify(over)) throw busy(folder);
    if (over.modified === undefined && holdsJust(there, over.files)) return;
    const message = `${shown(folder)} was changed since it was installed, and an update would take that away.`;
    throw refused("modified", message, "Update with `force`; what is there now is kept as versions.", "conflict");
  }
  if (known !== undefined) {
    const hint = "Update it, or install with `replace` to have this one in its place.";
    throw refused("exists", `The skill ${shown(folder)} is installed already.`, hint, "conflict");
  }
  if (there.size === 0) return;
  const message = `There is a folder ${shown(folder)} already that was not installed.`;
  const hint = "Install with `replace` to have this one in its place; its files are kept as versions.";
  throw refused("exists", message, hint, "conflict");
}

/** What was signed by a trusted key is not replaced unasked by what is not. */
function refuseStrangers(
  known: LockEntry | DamagedEntry | undefined,
  { signature }: SkillPackage,
  replace: boolean,
  folder: string,
): void {
  if (replace || known === undefined || known.state === "damaged") return;
  if (known.signature.kind !== "trusted" || signature.kind === "trusted") return;
  const message = `${shown(folder)} was signed by the trusted key ${known.signature.keyId}, and this one is not.`;
  throw refused("not_signed", message, "Install it with `replace` if you trust it all the same.", "forbidden");
}

interface Beginning {
  opened: SkillPackage;
  request: InstallRequest;
  before: InstallingEntry["before"];
}

/** Stores the package and then the intent; of two at once, one finds the folder taken. */
async function begin(
  place: InstallPlace,
  folder: string,
  known: LockEntry | DamagedEntry | undefined,
  { opened, request, before }: Beginning,
): Promise<InstallingEntry> {
  const workId = place.newId();
  const now = place.now();
  const entry: InstallingEntry = {
    name: opened.name,
    source: request.source,
    version: request.version ?? textVersion(opened.manifest),
    digest: opened.digest,
    installedAt: now,
    files: opened.manifest,
    signature: opened.signature,
    workId,
    since: now,
    state: "installing",
    package: await putPackage(place, workId, opened.manifest, opened.files),
    before,
  };
  try {
    await changeLock(place, (lock: Lock) => {
      const there = lock.skills.get(folder);
      if (there?.state === "installing" && there.workId === workId) return undefined;
      if (JSON.stringify(there) !== JSON.stringify(known)) throw busy(folder);
      return withEntry(lock, folder, entry);
    });
  } catch (thrown) {
    // After an outage nobody knows whether the intent was stored, so the package stays for whoever finds it.
    if (thrown instanceof IsopodError) await dropPackage(place, entry.package);
    throw thrown;
  }
  return entry;
}

/** The refusal while somebody else is at work on a skill. */
export function busy(folder: string) {
  const hint = `Try again in a minute: work that was cut off is gone on with after ${ABANDONED_MS / 1000} seconds.`;
  return refused("busy", `${shown(folder)} is being installed or removed at this moment.`, hint, "conflict");
}
