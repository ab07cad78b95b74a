import type { Agent } from "../../config/agents.ts";
import { COMMAND_NAMES } from "../../config/command-names.ts";
import { SHELL_COMMANDS } from "../../shell/commands.ts";
import { skillCommands } from "../../skills/command-names.ts";
import type { Wiring } from "../services.ts";
import { lookAtSkills } from "./scan-skills.ts";
import { foundIn } from "./scanned-skills.ts";
import { overviewOfSkills, type SkillsOverview } from "./skills-overview.ts";

/**
 * Looks for an agent's skills afresh, apart from any session, and gives all that is to be said of them. Never rejects: a place that does not answer is
 * among what was left out.
 */
export async function overviewOfAgent(agent: Agent, wiring: Wiring): Promise<SkillsOverview> {
  const { findings } = await lookAtSkills(agent, wiring, undefined);
  return overviewOfSkills(foundIn(findings), agent, {
    config: wiring.config,
    commands: SHELL_COMMANDS,
    secret: wiring.secret,
    commandOf: (eligible) =>
      new Map(skillCommands(eligible, COMMAND_NAMES).map(({ name, skill }) => [skill.location, name])),
  });
}
