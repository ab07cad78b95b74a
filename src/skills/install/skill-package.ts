import { escapingReferences } from "../escaping-references.ts";
import { parseSkillFile } from "../parse-skill.ts";
import type { SkillSource } from "../skill.ts";
import { type PackageFile, unpackArchive } from "./archive.ts";
import { type LockedFile, packageDigest, packageManifest, SKILL_FILE } from "./package-manifest.ts";
import { MAX_PACKAGE_FILE_BYTES, MAX_PACKAGE_FILES, quotedName, refused } from "./refusal.ts";
import { checkSignature, type SignatureFinding, type SignatureRules } from "./signature.ts";

/** A checked skill of an archive, ready to install. */
export interface SkillPackage {
  name: string;
  files: PackageFile[];
  manifest: LockedFile[];
  /** The digest of all files; see `packageDigest`. */
  digest: string;
  signature: SignatureFinding;
  /** Sentences. */
  notes: string[];
}

/** The configured rules for packages. */
export interface PackageRules extends SignatureRules {
  /** `skills.limits.maxSkillFileBytes`. */
  maxSkillFileBytes: number;
}

/**
 * Unpacks an archive and checks everything that an install depends on, before anything is stored.
 * @param folder which skill of several
 * @throws IsopodError with the reason for a refusal
 */
export async function openPackage(
  archive: Uint8Array,
  folder: string | undefined,
  rules: PackageRules,
  source: SkillSource,
): Promise<SkillPackage> {
  const unpacked = await unpackArchive(archive);
  const { files, notes } = findPackageRoot(unpacked.files, folder);
  refuseSize(files);
  const { name, issues } = await checkSkillText(files, rules.maxSkillFileBytes, source);
  const manifest = await packageManifest(files);
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
  const message = `${quotedName(large.path)} has ${large.bytes.length} bytes, and ${MAX_PACKAGE_FILE_BYTES} are the most.`;
  throw refused("too_large", message, "Leave it out, or make it smaller.", "payload_too_large");
}

const MAX_LISTED = 10;

/** The files of one skill, with paths relative to its folder, and notes about the others. */
export interface PackageRoot {
  files: PackageFile[];
  notes: string[];
}

/**
 * Finds the skill in an archive: at the top, or in its only top folder. In an archive with several, such as a
 * repository, `folder` names one, with or without the top folder.
 * @throws IsopodError that lists the skills in the archive
 */
function findPackageRoot(files: readonly PackageFile[], folder: string | undefined): PackageRoot {
  const skillFolders = files
    .filter(({ path }) => path.split("/").at(-1) === SKILL_FILE)
    .map(({ path }) => parentFolder(path));
  const top = commonTopFolder(files);
  const candidates = folder === undefined ? ["", top] : candidateFolders(folder, top);
  const root = candidates.find((one) => skillFolders.includes(one));
  if (root === undefined) throw noSkillRefusal(files, skillFolders, folder);
  const chosen = files.filter(({ path }) => path.startsWith(root));
  const others = files.length - chosen.length;
  return {
    files: chosen.map(({ path, bytes }) => ({ path: path.slice(root.length), bytes })),
    notes: others === 0 ? [] : [`${others} files outside of ${quotedName(root)} were left out.`],
  };
}

/** The folder of a path: empty, or ending with `/`. */
function parentFolder(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function commonTopFolder([first, ...rest]: readonly PackageFile[]): string {
  const top = first?.path.slice(0, first.path.indexOf("/") + 1) ?? "";
  return rest.every(({ path }) => path.startsWith(top)) ? top : "";
}

function candidateFolders(folder: string, top: string): string[] {
  const plain = folder.normalize("NFC").replace(/^(?:\.?\/)+|\/+$/g, "");
  const inside = plain === "" ? "" : `${plain}/`;
  return [inside, `${top}${inside}`];
}

function noSkillRefusal(files: readonly PackageFile[], skillFolders: readonly string[], folder: string | undefined) {
  const where = folder === undefined ? "at the top of the archive" : `in ${quotedName(folder)}`;
  if (skillFolders.length > 0) {
    const listed = skillFolders
      .slice(0, MAX_LISTED)
      .map((skillFolder) => quotedName(skillFolder === "" ? "." : skillFolder.slice(0, -1)));
    const more = skillFolders.length > MAX_LISTED ? ` and ${skillFolders.length - MAX_LISTED} more` : "";
    const message = `There is no ${SKILL_FILE} ${where}. The archive has skills in ${listed.join(", ")}${more}.`;
    return refused("which_skill", message, "Name the one that you mean as `path`.");
  }
  const spelt = files.find(({ path }) => path.toLowerCase().endsWith(SKILL_FILE.toLowerCase()));
  const message = `There is no ${SKILL_FILE} in the archive${spelt === undefined ? "" : `, but ${quotedName(spelt.path)}`}.`;
  return refused("no_skill", message, `A skill is a folder with a file of exactly that name.`);
}

/** The parts of a package's SKILL.md that an install depends on. */
export interface PackageSkillText {
  name: string;
  /** Sentences about problems that do not prevent its use. */
  issues: string[];
}

/**
 * Checks the SKILL.md of a package.
 * @throws IsopodError if it is unusable, not UTF-8, or refers to files outside the skill's folder
 */
export async function checkSkillText(
  files: readonly PackageFile[],
  maxBytes: number,
  source: SkillSource,
): Promise<PackageSkillText> {
  const file = files.find(({ path }) => path === SKILL_FILE);
  if (file === undefined) throw refused("no_skill", `There is no ${SKILL_FILE}.`, "A skill is a folder with one.");
  if (file.bytes.length > maxBytes) {
    const message = `${SKILL_FILE} has ${file.bytes.length} bytes, and ${maxBytes} are the most.`;
    const hint = "Move a part of it into a file beside it, or raise skills.limits.maxSkillFileBytes.";
    throw refused("too_large", message, hint, "payload_too_large");
  }
  refuseNonUtf8(file.bytes);
  const at = { source, location: SKILL_FILE, baseDir: "", etag: "", folder: "" };
  const parsed = await parseSkillFile(file.bytes, at);
  if (parsed.kind === "invalid") throw refused(parsed.leftOut.code, `${SKILL_FILE}: ${parsed.leftOut.reason}`);
  const [escaping] = escapingReferences(parsed.text);
  if (escaping !== undefined) {
    const message = `${SKILL_FILE} refers to ${quotedName(escaping)}, which is outside of the skill's folder.`;
    throw refused("escaping_reference", message, "Put the file into the skill, or take the reference out.");
  }
  return { name: parsed.skill.name, issues: parsed.issues };
}

function refuseNonUtf8(bytes: Uint8Array): void {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw refused("not_text", `${SKILL_FILE} is not UTF-8.`, "Save it as UTF-8.");
  }
}
