import type { Wiring } from "../../services/services.ts";
import { lookAtSkills } from "../../services/skills/scan-skills.ts";
import { NO_SKILLS } from "../../services/skills/turn-skills.ts";
import { skillsOf } from "../../services/skills/turn-skills-of.ts";
import type { SkillsSource } from "./session-skills.ts";

/** Skills as the first turn of a new session would have them: they are looked for, and nothing is kept. */
export function freshSkills(wiring: Wiring): SkillsSource {
  return {
    async forTurn({ occasion, agent, listing }) {
      if (!occasion.speaker.owner) return NO_SKILLS;
      const { findings } = await lookAtSkills(agent, wiring, await listing);
      return skillsOf(findings, agent, wiring);
    },
  };
}
