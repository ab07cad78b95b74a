import { head } from "../../lib/text.ts";
import type { SkillCommand } from "../../skills/command-names.ts";
import type { LeftOut } from "../../skills/skill.ts";

/** Most characters of a description in a line. */
const MAX_DESCRIPTION_CHARS = 100;

/** The skills of a session, as its commands show them. */
export interface SkillsView {
  commands: readonly SkillCommand[];
  /** Names of those that people do not call on. */
  others: readonly string[];
  leftOut: readonly LeftOut[];
}

/** A skill's command in a line of Markdown, with the skill's own name where that is another. */
export function skillLine({ name, skill }: SkillCommand): string {
  const own = skill.name === name ? "" : ` (${skill.name})`;
  return `/${name}${own}: ${inLine(skill.description, MAX_DESCRIPTION_CHARS)}`;
}

/** A text on one line, cut with an ellipsis after so many characters. */
export function inLine(text: string, maxChars: number): string {
  const whole = text.replace(/\s+/g, " ").trim();
  const kept = head(whole, maxChars);
  return kept.length < whole.length ? `${kept}…` : kept;
}
