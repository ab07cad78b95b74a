import { IsopodError } from "../../lib/errors.ts";
import { byteLength } from "../../lib/text.ts";
import { ABANDONED_MS, finishAbandoned, finishInstall, skillFolderFiles } from "./finish-work.ts";
import { type InstallTarget, installedSkillSource } from "./install-target.ts";
import {
  changeLock,
  type DamagedEntry,
  type InstallingEntry,
  type Lock,
  type LockEntry,
  type LockSource,
  readLock,
  usableLock,
  withEntry,
} from "./lock.ts";
import { type LockedFile, textVersion } from "./package-manifest.ts";
import { dropForgotten, dropPackage, putPackage } from "./package-store.ts";
import { quotedName, refused } from "./refusal.ts";
import { openPackage, type PackageRules, type SkillPackage } from "./skill-package.ts";

/** An archive and what its source states about it. */
export interface SourcedArchive {
  archive: Uint8Array;
  source: LockSource;
  version?: string | undefined;
  /** The folder of the skill in the archive. */
  path?: string | undefined;
  /** The SHA-256 of each file by path, if a registry states them. */
  expectedDigests?: ReadonlyMap<string, string> | undefined;
  /** The name for its folder, if it differs from the skill's name. */
  folderName?: string | undefined;
}

/** A request to install an archive. */
export interface InstallRequest extends SourcedArchive {
  /** Whether any existing content of the folder may be replaced. */
  replace: boolean;
  /** For an update: the lock entry that it replaces, unless it was changed. */
  over?: LockEntry | undefined;
}

/** The result of an install or update. */
export interface InstallResult {
  /** `current`: the same files were already installed, and nothing was changed. */
  outcome: "installed" | "updated" | "current";
  folder: string;
  entry: LockEntry;
  /** Sentences about the archive. */
  notes: string[];
}

/**
 * Installs a skill atomically: everything is checked first, then the package is stored, then the intent in the lock.
 * From then on any later caller can finish the install; until it is finished the skill is not used.
 * @throws IsopodError with the reason if nothing was changed; WorkspaceError `unavailable`
 */
export async function installSkill(
  target: InstallTarget,
  rules: PackageRules,
  request: InstallRequest,
): Promise<InstallResult> {
  const opened = await openPackage(request.archive, request.path, rules, installedSkillSource(target));
  refuseUnexpectedFiles(opened.manifest, request.expectedDigests);
  const folder = skillFolderName(request.folderName ?? opened.name) ?? `skill-${opened.digest.slice(0, 8)}`;
  await finishAbandoned(target);
  const lock = usableLock(await readLock(target), target);
  const before = await skillFolderFiles(target, folder);
  const known = lock.skills.get(folder);
  if (isUnchanged(known, before, opened.manifest)) {
    const entry = await relabel(target, folder, known, opened, request);
    return { outcome: "current", folder, entry, notes: opened.notes };
  }
  refuseOccupied(known, before, folder, request);
  refuseUnsignedReplacement(known, opened, request.replace, folder);
  await dropForgotten(target, lock, target.now());
  const overwritten = [...before].map(([path, { etag }]) => ({ path, etag }));
  const entry = await storeIntent(target, folder, known, { opened, request, before: overwritten });
  await finishInstall(target, folder, entry, opened.files);
  const { workId, since, package: _, before: __, ...rest } = entry;
  const outcome = known === undefined ? "installed" : "updated";
  return { outcome, folder, entry: { ...rest, state: "installed" }, notes: opened.notes };
}

/**
 * Refuses files that differ from the digests of the registry. Registries add files of their own, so additional files
 * are accepted.
 */
function refuseUnexpectedFiles(
  manifest: readonly LockedFile[],
  promised: ReadonlyMap<string, string> = new Map(),
): void {
  const there = new Map(manifest.map(({ path, sha256 }) => [path, sha256]));
  for (const [path, sha256] of promised) {
    if (there.get(path) === sha256) continue;
    const what = there.has(path)
      ? "differs from the digest of the registry"
      : "is missing, although the registry lists it";
    throw refused(
      "not_as_promised",
      `${quotedName(path)} ${what}.`,
      "Try again; if it persists, report it to the registry.",
    );
  }
}

/** Whether a folder has exactly the files of a manifest. */
function hasExactly(there: ReadonlyMap<string, { etag: string }>, files: readonly LockedFile[]): boolean {
  return there.size === files.length && files.every(({ path, etag }) => there.get(path)?.etag === etag);
}

function isUnchanged(
  known: LockEntry | DamagedEntry | undefined,
  there: ReadonlyMap<string, { etag: string }>,
  manifest: readonly LockedFile[],
): known is LockEntry {
  return known?.state === "installed" && hasExactly(there, manifest) && hasExactly(there, known.files);
}

/** Updates the entry of unchanged files: their version, source or trusted keys may be new. */
async function relabel(
  target: InstallTarget,
  folder: string,
  known: LockEntry,
  { signature }: SkillPackage,
  { source, version = known.version }: InstallRequest,
): Promise<LockEntry> {
  const entry = { ...known, source, version, signature };
  await changeLock(target, (lock) => {
    const there = JSON.stringify(lock.skills.get(folder));
    return there === JSON.stringify(known) && there !== JSON.stringify(entry)
      ? withEntry(lock, folder, entry)
      : undefined;
  });
  return entry;
}

/** Refuses to overwrite existing files without `replace`, and local changes in an update. */
function refuseOccupied(
  known: LockEntry | DamagedEntry | undefined,
  there: ReadonlyMap<string, { etag: string }>,
  folder: string,
  { replace, over }: InstallRequest,
): void {
  if (known?.state === "installing" || known?.state === "removing") throw busyRefusal(folder);
  if (replace) return;
  if (over !== undefined) {
    if (JSON.stringify(known) !== JSON.stringify(over)) throw busyRefusal(folder);
    if (over.modified === undefined && hasExactly(there, over.files)) return;
    const message = `${quotedName(folder)} was changed since it was installed, and an update would take that away.`;
    throw refused("modified", message, "Update with `force`; what is there now is kept as versions.", "conflict");
  }
  if (known !== undefined) {
    const hint = "Update it, or install with `replace` to have this one in its place.";
    throw refused("exists", `The skill ${quotedName(folder)} is installed already.`, hint, "conflict");
  }
  if (there.size === 0) return;
  const message = `There is a folder ${quotedName(folder)} already that was not installed.`;
  const hint = "Install with `replace` to have this one in its place; its files are kept as versions.";
  throw refused("exists", message, hint, "conflict");
}

/** Refuses to replace a skill signed by a trusted key with one that is not, unless `replace` is set. */
function refuseUnsignedReplacement(
  known: LockEntry | DamagedEntry | undefined,
  { signature }: SkillPackage,
  replace: boolean,
  folder: string,
): void {
  if (replace || known === undefined || known.state === "damaged") return;
  if (known.signature.kind !== "trusted" || signature.kind === "trusted") return;
  const message = `${quotedName(folder)} was signed by the trusted key ${known.signature.keyId}, and this one is not.`;
  throw refused("not_signed", message, "Install it with `replace` if you trust it all the same.", "forbidden");
}

interface InstallIntent {
  opened: SkillPackage;
  request: InstallRequest;
  before: InstallingEntry["before"];
}

/** Stores the package, then the intent. Of two concurrent installs, one is refused as busy. */
async function storeIntent(
  target: InstallTarget,
  folder: string,
  known: LockEntry | DamagedEntry | undefined,
  { opened, request, before }: InstallIntent,
): Promise<InstallingEntry> {
  const workId = target.newId();
  const now = target.now();
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
    package: await putPackage(target, workId, opened.manifest, opened.files),
    before,
  };
  try {
    await changeLock(target, (lock: Lock) => {
      const there = lock.skills.get(folder);
      if (there?.state === "installing" && there.workId === workId) return undefined;
      if (JSON.stringify(there) !== JSON.stringify(known)) throw busyRefusal(folder);
      return withEntry(lock, folder, entry);
    });
  } catch (thrown) {
    // After an outage the intent may have been stored, so the package is kept for the caller that finishes it.
    if (thrown instanceof IsopodError) await dropPackage(target, entry.package);
    throw thrown;
  }
  return entry;
}

/** The refusal while another install or removal of the skill is in progress. */
export function busyRefusal(folder: string) {
  const hint = `Try again in a minute: interrupted work is resumed after ${ABANDONED_MS / 1000} seconds.`;
  return refused("busy", `${quotedName(folder)} is being installed or removed at this moment.`, hint, "conflict");
}

const MAX_CHARS = 64;
const MAX_BYTES = 128;

/**
 * The folder name for a skill's name: lower case, letters and digits of any script, `-`, `_` and `.`, at most 64
 * characters and 128 bytes; undefined if none of its characters are usable.
 */
function skillFolderName(name: string): string | undefined {
  const plain = name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .replace(/-{2,}/g, "-");
  let folder = "";
  for (const character of trimmed(plain)) {
    if (folder.length + character.length > MAX_CHARS || byteLength(folder + character) > MAX_BYTES) break;
    folder += character;
  }
  return trimmed(folder) || undefined;
}

function trimmed(text: string): string {
  return text.replace(/^[._-]+|[._-]+$/g, "").normalize("NFC");
}
