import type { SkillSource } from "../skill.ts";
import { type PackageFile, unpackArchive } from "./archive.ts";
import { type LockedFile, manifestOf, packageDigest } from "./manifest.ts";
import { MAX_PACKAGE_FILE_BYTES, MAX_PACKAGE_FILES } from "./package-limits.ts";
import { findSkill } from "./package-root.ts";
import { refused, shown } from "./refuse.ts";
import { checkSignature, type SignatureFinding, type SignatureRules } from "./signature.ts";
import { readSkillText } from "./skill-text.ts";

/** A skill that was found in an archive and may be installed. */
export interface SkillPackage {
  name: string;
  files: PackageFile[];
  manifest: LockedFile[];
  /** Of all files; see `packageDigest`. */
  digest: string;
  signature: SignatureFinding;
  /** Sentences. */
  notes: string[];
}

/** What is looked at besides the archive. */
export interface PackageRules extends SignatureRules {
  /** `skills.limits.maxSkillFileBytes`. */
  maxSkillFileBytes: number;
}

/**
 * Unpacks an archive and looks at everything that an install depends on, before anything is stored.
 * @param folder which skill of several is meant
 * @throws IsopodError with what is in the way
 */
export async function openPackage(
  archive: Uint8Array,
  folder: string | undefined,
  rules: PackageRules,
  source: SkillSource,
): Promise<SkillPackage> {
  const unpacked = await unpackArchive(archive);
  const { files, notes } = findSkill(unpacked.files, folder);
  refuseSize(files);
  const { name, issues } = await readSkillText(files, rules.maxSkillFileBytes, source);
  const manifest = await manifestOf(files);
  return {
    name,
    files,
    manifest,
    digest: await packageDigest(manifest),
    signature: await checkSignature(files, manifest, rules),
    notes: [...unpacked.notes, ...notes, ...issues],
  };
}

function refuseSize(files: readonly PackageFile[]): void {
  if (files.length > MAX_PACKAGE_FILES) {
    const message = `The skill has ${files.length} files, and ${MAX_PACKAGE_FILES} are the most.`;
    throw refused("too_many_files", message, "Leave out what it does not need.", "payload_too_large");
  }
  const large = files.find(({ bytes }) => bytes.length > MAX_PACKAGE_FILE_BYTES);
  if (large === undefined) return;
  const message = `${shown(large.path)} has ${large.bytes.length} bytes, and ${MAX_PACKAGE_FILE_BYTES} are the most.`;
  throw refused("too_large", message, "Leave it out, or make it smaller.", "payload_too_large");
}
