import { atMost } from "../../lib/at-most.ts";
import { IsopodError } from "../../lib/errors.ts";
import { MAX_FILE_BYTES, type WorkspaceFile } from "../../workspace/workspace.ts";
import type { PackageFile } from "./archive.ts";
import { findInstalled, type InstalledSkill } from "./find-installed.ts";
import { filesIn } from "./finish-work.ts";
import type { InstallPlace } from "./install-place.ts";
import { busy, sourceOf } from "./install-skill.ts";
import { withEntry } from "./lock.ts";
import { changeLock } from "./lock-store.ts";
import { manifestOf, packageDigest, textVersion } from "./manifest.ts";
import { MAX_EXPANDED_BYTES, MAX_PACKAGE_FILES } from "./package-limits.ts";
import { refused, shown } from "./refuse.ts";
import { checkSignature } from "./signature.ts";
import type { PackageRules } from "./skill-package.ts";
import { readSkillText } from "./skill-text.ts";
import { seenOf } from "./verify-skill.ts";

const AT_ONCE = 4;

/**
 * Takes an installed skill as it is now: what its owner has looked at is what the lock says from then on. It is marked as modified
 * where it is not what was installed, and no signature counts for it then.
 * @param seen the digest of the files that were looked at; whatever is there where it is left out
 * @throws IsopodError where what is there is no skill, is not what was looked at, or changes meanwhile
 */
export async function acceptSkill(
  place: InstallPlace,
  rules: PackageRules,
  name: string,
  seen?: string,
): Promise<InstalledSkill> {
  const { folder, entry } = await findInstalled(place, name);
  const there = await filesIn(place, folder);
  if (seen !== undefined && seen !== (await seenOf(there))) throw changedSince(folder);
  const files = await readAll(place, folder, there);
  await readSkillText(files, rules.maxSkillFileBytes, sourceOf(place));
  const manifest = await manifestOf(files);
  const digest = await packageDigest(manifest);
  if (digest === entry.digest) return { folder, entry };
  const signature = await signatureNow(files, manifest, rules);
  const version = entry.version === textVersion(entry.files) ? textVersion(manifest) : entry.version;
  const accepted = { ...entry, version, files: manifest, digest, signature, modified: true as const };
  await changeLock(place, (lock) => {
    const there = JSON.stringify(lock.skills.get(folder));
    if (there === JSON.stringify(accepted)) return undefined;
    if (there !== JSON.stringify(entry)) throw busy(folder);
    return withEntry(lock, folder, accepted);
  });
  return { folder, entry: accepted };
}

function changedSince(folder: string): IsopodError {
  const message = `${shown(folder)} was changed after you looked at it, so nothing was accepted.`;
  return new IsopodError("conflict", message, "Look at it again.");
}

/** An owner's word stands in for a signature, which a change makes worthless. */
async function signatureNow(
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

async function readAll(
  place: InstallPlace,
  folder: string,
  there: ReadonlyMap<string, WorkspaceFile>,
): Promise<PackageFile[]> {
  const total = [...there.values()].reduce((sum, { size }) => sum + size, 0);
  const isLarge = [...there.values()].some(({ size }) => size > MAX_FILE_BYTES);
  if (there.size > MAX_PACKAGE_FILES || total > MAX_EXPANDED_BYTES || isLarge) {
    const message = `${shown(folder)} has ${there.size} files with ${total} bytes by now.`;
    const hint = `At most ${MAX_PACKAGE_FILES} files with ${MAX_EXPANDED_BYTES} bytes are accepted.`;
    throw refused("too_large", message, hint, "payload_too_large");
  }
  return atMost(AT_ONCE, [...there], async ([path, listed]) => {
    const { file, bytes } = await place.files.read(listed.path);
    if (file.etag !== listed.etag) throw changedSince(folder);
    return { path, bytes };
  });
}
