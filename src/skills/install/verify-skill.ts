import { atMost } from "../../lib/at-most.ts";
import { digestOf } from "../../lib/digest.ts";
import { IsopodError } from "../../lib/errors.ts";
import { MAX_FILE_BYTES, WorkspaceError, type WorkspaceFile } from "../../workspace/workspace.ts";
import type { PackageFile } from "./archive.ts";
import { skillFolderFiles } from "./finish-work.ts";
import { busyRefusal } from "./install-skill.ts";
import type { InstallTarget } from "./install-target.ts";
import { installedSkillSource } from "./install-target.ts";
import { findInstalled, type InstalledSkill } from "./installed-skill.ts";
import { changeLock, withEntry } from "./lock.ts";
import { folderDigest, type LockedFile, packageDigest, packageManifest, textVersion } from "./package-manifest.ts";
import { MAX_EXPANDED_BYTES, MAX_PACKAGE_FILES, quotedName, refused } from "./refusal.ts";
import { checkSignature } from "./signature.ts";
import { checkSkillText, type PackageRules } from "./skill-package.ts";

const AT_ONCE = 4;

/** A file compared with the lock. */
export interface VerifiedFile {
  path: string;
  status: "ok" | "changed" | "missing" | "added";
}

/** The result of comparing every file of a skill with the lock. */
export interface Verification extends InstalledSkill {
  ok: boolean;
  /** The digest of the compared files; see `folderDigest`. */
  seen: string;
  files: VerifiedFile[];
}

/**
 * Reads all files of an installed skill and compares their SHA-256 with the lock. Changes nothing.
 * @throws IsopodError, WorkspaceError
 */
export async function verifySkill(target: InstallTarget, name: string): Promise<Verification> {
  const found = await findInstalled(target, name);
  const there = await skillFolderFiles(target, found.folder);
  const compared = await atMost(AT_ONCE, found.entry.files, async (file) => ({
    path: file.path,
    status: await fileStatus(target, file, there.get(file.path)),
  }));
  const known = new Set(found.entry.files.map(({ path }) => path));
  const added = [...there.keys()].filter((path) => !known.has(path));
  const files = [...compared, ...added.map((path) => ({ path, status: "added" as const }))];
  return { ...found, ok: files.every(({ status }) => status === "ok"), seen: await seenDigest(there), files };
}

/** The digest of a folder's current files, which an owner confirms when they accept a skill. */
function seenDigest(there: ReadonlyMap<string, WorkspaceFile>): Promise<string> {
  return folderDigest([...there].map(([path, { etag }]) => ({ path, etag })));
}

async function fileStatus(
  target: InstallTarget,
  { sha256, size }: LockedFile,
  file: WorkspaceFile | undefined,
): Promise<VerifiedFile["status"]> {
  if (file === undefined) return "missing";
  if (file.size !== size) return "changed";
  try {
    const { bytes } = await target.files.read(file.path);
    return (await digestOf("SHA-256", bytes)) === sha256 ? "ok" : "changed";
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return "missing";
    throw thrown;
  }
}

/**
 * Accepts the current files of an installed skill: the lock is set to them. If they differ from the install, the entry
 * is marked as modified and its signature no longer counts.
 * @param seen the digest of the files that the owner reviewed; without it, the current files are accepted
 * @throws IsopodError if the files are not a skill, are not the reviewed ones, or change meanwhile
 */
export async function acceptSkill(
  target: InstallTarget,
  rules: PackageRules,
  name: string,
  seen?: string,
): Promise<InstalledSkill> {
  const { folder, entry } = await findInstalled(target, name);
  const there = await skillFolderFiles(target, folder);
  if (seen !== undefined && seen !== (await seenDigest(there))) throw changedSince(folder);
  const files = await readFolder(target, folder, there);
  await checkSkillText(files, rules.maxSkillFileBytes, installedSkillSource(target));
  const manifest = await packageManifest(files);
  const digest = await packageDigest(manifest);
  if (digest === entry.digest) return { folder, entry };
  const signature = await currentSignature(files, manifest, rules);
  const version = entry.version === textVersion(entry.files) ? textVersion(manifest) : entry.version;
  const accepted = { ...entry, version, files: manifest, digest, signature, modified: true as const };
  await changeLock(target, (lock) => {
    const there = JSON.stringify(lock.skills.get(folder));
    if (there === JSON.stringify(accepted)) return undefined;
    if (there !== JSON.stringify(entry)) throw busyRefusal(folder);
    return withEntry(lock, folder, accepted);
  });
  return { folder, entry: accepted };
}

function changedSince(folder: string): IsopodError {
  const message = `${quotedName(folder)} was changed after you looked at it, so nothing was accepted.`;
  return new IsopodError("conflict", message, "Look at it again.");
}

/**
 * The signature of the changed files. A signature that no longer matches is dropped: the owner's consent replaces it.
 */
async function currentSignature(
  files: readonly PackageFile[],
  manifest: Parameters<typeof checkSignature>[1],
  rules: Pick<PackageRules, "trustedKeys">,
) {
  try {
    return await checkSignature(files, manifest, { ...rules, requireSignature: false });
  } catch (thrown) {
    if (thrown instanceof IsopodError) return { kind: "unsigned" as const };
    throw thrown;
  }
}

async function readFolder(
  target: InstallTarget,
  folder: string,
  there: ReadonlyMap<string, WorkspaceFile>,
): Promise<PackageFile[]> {
  const total = [...there.values()].reduce((sum, { size }) => sum + size, 0);
  const isLarge = [...there.values()].some(({ size }) => size > MAX_FILE_BYTES);
  if (there.size > MAX_PACKAGE_FILES || total > MAX_EXPANDED_BYTES || isLarge) {
    const message = `${quotedName(folder)} has ${there.size} files with ${total} bytes by now.`;
    const hint = `At most ${MAX_PACKAGE_FILES} files with ${MAX_EXPANDED_BYTES} bytes are accepted.`;
    throw refused("too_large", message, hint, "payload_too_large");
  }
  return atMost(AT_ONCE, [...there], async ([path, listed]) => {
    const { file, bytes } = await target.files.read(listed.path);
    if (file.etag !== listed.etag) throw changedSince(folder);
    return { path, bytes };
  });
}
