import type { Agent } from "../../config/agents.ts";
import { isReservedName } from "../../config/reserved-names.ts";
import { SHELL_COMMANDS } from "../../shell/commands.ts";
import { byLocation, gateSkills } from "../../skills/gate.ts";
import { gateFactsOf } from "../../skills/gate-facts.ts";
import { skillsPrompt } from "../../skills/prompt-list.ts";
import type { Skill } from "../../skills/skill.ts";
import { skillEnv } from "../../skills/skill-env.ts";
import type { SkillSet } from "../../skills/skill-set.ts";
import type { Services } from "../services.ts";
import { groupScanned, type ScannedSkill, type ScannedSkills } from "./scanned-skills.ts";
import { SkillFiles } from "./skill-files.ts";
import { skillRoots } from "./skill-roots.ts";
import type { TurnSkills } from "./turn-skills.ts";

/** What of the skills that were found may be used, by the configuration in force. No store is asked. */
export function gateScannedSkills(scanned: readonly ScannedSkill[], agent: Agent, services: Services): SkillSet {
  return judged(groupScanned(scanned), agent, services);
}

function judged({ skills, leftOut, quarantined }: ScannedSkills, agent: Agent, { config, secret }: Services): SkillSet {
  const facts = gateFactsOf(config, agent, { commands: SHELL_COMMANDS, secret, quarantined });
  const set = gateSkills(skills, facts);
  return { eligible: set.eligible, leftOut: [...set.leftOut, ...leftOut].sort(byLocation) };
}

/** What a turn is given of the skills that were found. No store is asked before something of them is read. */
export function turnSkills(scanned: readonly ScannedSkill[], agent: Agent, services: Services): TurnSkills {
  const found = groupScanned(scanned);
  const set = judged(found, agent, services);
  const { text, shown, cut } = skillsPrompt(set.eligible, agent.skillsLimits);
  const files = new SkillFiles(set, skillRoots(agent, services));
  const { env, refused } = skillEnv(set.eligible, services.config.skills.entries, (name) => secretFor(name, services));
  return {
    set,
    list: text,
    shown,
    cut,
    notes: [...notesOn(set.eligible, found.notes), ...refused],
    env,
    files,
    mounts: files.mounts(),
    read: (location) => files.readSkill(location),
  };
}

/** What is to be known of skills that may be used, in sentences. */
function notesOn(eligible: readonly Skill[], notes: ReadonlyMap<string, string>): string[] {
  return eligible.flatMap(({ name, location, issues = [] }) => {
    const cut = notes.get(location);
    return [...issues, ...(cut === undefined ? [] : [cut])].map((text) => `${name}: ${text}`);
  });
}

function secretFor(name: string, { secret }: Services): string | undefined {
  return isReservedName(name) ? undefined : secret(name);
}
