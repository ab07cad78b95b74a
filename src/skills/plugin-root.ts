import { readSkillText } from "./read-skill.ts";
import { textsRoot } from "./roots.ts";
import type { SkillRoot } from "./skill.ts";

/** A skill that a plugin brings: the text of its SKILL.md, or the texts of all its files by path, `SKILL.md` among them. */
export type SkillTexts = string | Readonly<Record<string, string>>;

/** The name in the front matter of a skill that a plugin brings; undefined where it has none. */
export function nameOfTexts(skill: SkillTexts): string | undefined {
  const reading = readSkillText(typeof skill === "string" ? skill : (skill["SKILL.md"] ?? ""));
  return reading.kind === "read" ? reading.name : undefined;
}

/** The skills of one plugin, each in a folder of its name. */
export function pluginRoot(plugin: string, skills: readonly SkillTexts[]): SkillRoot {
  const texts: Record<string, string> = {};
  skills.forEach((skill, at) => {
    const named = folderOf(nameOfTexts(skill), at);
    const folder = Object.hasOwn(texts, `${named}/SKILL.md`) ? `${named}-${at + 1}` : named;
    const files = typeof skill === "string" ? { "SKILL.md": skill } : skill;
    for (const [path, text] of Object.entries(files)) texts[`${folder}/${path}`] = text;
  });
  return textsRoot(texts, {
    source: "plugin",
    address: `skills://plugin/${plugin}/`,
    mount: `/skills/plugin/${plugin}/`,
  });
}

/** A name as a folder, or the skill's number where nothing of it can stand in a path. */
function folderOf(name: string | undefined, at: number): string {
  const folder = (name ?? "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_-]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return folder === "" ? `skill-${at + 1}` : folder;
}
