import type { Agent } from "../../config/agents.ts";
import { COMMAND_NAMES } from "../../config/command-names.ts";
import { SHELL_COMMANDS } from "../../shell/commands.ts";
import { skillCommands } from "../../skills/command-names.ts";
import type { Services } from "../services.ts";
import { scanSkills } from "./scan-skills.ts";
import { groupScanned } from "./scanned-skills.ts";
import { type SkillsOverview, skillsOverview } from "./skills-overview.ts";

/**
 * Looks for an agent's skills afresh, apart from any session, and gives all that is to be said of them. Never rejects: a place that does not answer is
 * among what was left out.
 */
export async function agentSkillsOverview(agent: Agent, services: Services): Promise<SkillsOverview> {
  const { scanned } = await scanSkills(agent, services, undefined);
  return skillsOverview(groupScanned(scanned), agent, {
    config: services.config,
    commands: SHELL_COMMANDS,
    secret: services.secret,
    commandOf: (eligible) =>
      new Map(skillCommands(eligible, COMMAND_NAMES).map(({ name, skill }) => [skill.location, name])),
  });
}
