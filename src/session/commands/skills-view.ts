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
  const whole = skill.description.replace(/\s+/g, " ").trim();
  const kept = head(whole, MAX_DESCRIPTION_CHARS);
  return `/${name}${own}: ${kept.length < whole.length ? `${kept}…` : kept}`;
}
