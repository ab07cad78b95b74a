import type { LeftOut, Skill } from "./skill.ts";

/** What the skills of an agent come to at one moment. */
export interface SkillSet {
  /** Those that may be used, by name. */
  eligible: readonly Skill[];
  /** Everything else that was found, with the reason, by location. */
  leftOut: readonly LeftOut[];
}
