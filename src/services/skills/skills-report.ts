import type { TurnSkills } from "./turn-skills.ts";

/** What a turn's skills come to, for people. */
export interface SkillsReport {
  /** How many may be used, how many of them the prompt lists, and the characters of that list. */
  eligible: number;
  listed: number;
  chars: number;
  /** How many were found besides and may not be used. */
  leftOut: number;
  /** Those that may be used and are not listed for want of room, by name, with the reason. */
  cut: { name: string; reason: string }[];
  /** What is to be known of those that may be used, in sentences. */
  notes: string[];
}

/** A turn's skills for people. */
export function skillsReport({ set, list = "", shown, cut, notes }: TurnSkills): SkillsReport {
  return {
    eligible: set.eligible.length,
    listed: shown.length,
    chars: list.length,
    leftOut: set.leftOut.length,
    cut: cut.map(({ name, reason }) => ({ name, reason })),
    notes: [...notes],
  };
}
