import type { Services } from "../../services/services.ts";
import { scanSkills } from "../../services/skills/scan-skills.ts";
import { NO_SKILLS } from "../../services/skills/turn-skills.ts";
import { turnSkills } from "../../services/skills/turn-skills-of.ts";
import type { SkillsSource } from "./session-skills.ts";

/** Skills as the first turn of a new session would have them: they are looked for, and nothing is kept. */
export function freshSkills(services: Services): SkillsSource {
  return {
    async forTurn({ turnContext, agent, listing }) {
      if (!turnContext.principal.owner) return NO_SKILLS;
      const { scanned } = await scanSkills(agent, services, await listing);
      return turnSkills(scanned, agent, services);
    },
  };
}
