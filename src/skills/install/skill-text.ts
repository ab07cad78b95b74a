import { escapingReferences } from "../escaping-references.ts";
import { parseSkillFile } from "../parse-skill.ts";
import type { SkillSource } from "../skill.ts";
import type { PackageFile } from "./archive.ts";
import { SKILL_FILE } from "./manifest.ts";
import { refused, shown } from "./refuse.ts";

/** What the SKILL.md of a package says that an install depends on. */
export interface SkillText {
  name: string;
  /** Sentences about what is amiss and does not keep it from use. */
  issues: string[];
}

/**
 * Reads the SKILL.md of a package and looks at where its words lead.
 * @throws IsopodError where it cannot be used, is no UTF-8, or refers to files outside of the skill's folder
 */
export async function readSkillText(
  files: readonly PackageFile[],
  maxBytes: number,
  source: SkillSource,
): Promise<SkillText> {
  const file = files.find(({ path }) => path === SKILL_FILE);
  if (file === undefined) throw refused("no_skill", `There is no ${SKILL_FILE}.`, "A skill is a folder with one.");
  if (file.bytes.length > maxBytes) {
    const message = `${SKILL_FILE} has ${file.bytes.length} bytes, and ${maxBytes} are the most.`;
    const hint = "Move a part of it into a file beside it, or raise skills.limits.maxSkillFileBytes.";
    throw refused("too_large", message, hint, "payload_too_large");
  }
  refuseOtherThanUtf8(file.bytes);
  const at = { source, location: SKILL_FILE, baseDir: "", etag: "", folder: "" };
  const parsed = await parseSkillFile(file.bytes, at);
  if (parsed.kind === "invalid") throw refused(parsed.left.code, `${SKILL_FILE}: ${parsed.left.reason}`);
  const [escaping] = escapingReferences(parsed.text);
  if (escaping !== undefined) {
    const message = `${SKILL_FILE} refers to ${shown(escaping)}, which is outside of the skill's folder.`;
    throw refused("escaping_reference", message, "Put the file into the skill, or take the reference out.");
  }
  return { name: parsed.skill.name, issues: parsed.issues };
}

function refuseOtherThanUtf8(bytes: Uint8Array): void {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw refused("not_text", `${SKILL_FILE} is not UTF-8.`, "Save it as UTF-8.");
  }
}
