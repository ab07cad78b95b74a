import type { Agent } from "../../config/agents.ts";
import { COMMAND_NAMES } from "../../config/command-names.ts";
import { isReservedName } from "../../config/reserved-names.ts";
import type { CoreConfig } from "../../config/schema.ts";
import { estimateTokens } from "../../lib/tokens.ts";
import { SHELL_COMMANDS } from "../../shell/commands.ts";
import { skillCommands } from "../../skills/command-names.ts";
import { gateSkills, skillEntry, skillKey } from "../../skills/gate.ts";
import { gateFacts } from "../../skills/gate-facts.ts";
import { type IdleInstaller, idleInstallers } from "../../skills/installer-reasons.ts";
import { skillsPrompt, skillTokens } from "../../skills/prompt-list.ts";
import { type LeftOut, SKILL_SOURCES, type Skill, type SkillSource } from "../../skills/skill.ts";
import { skillEnv, skillVariables } from "../../skills/skill-env.ts";
import type { Services } from "../services.ts";
import { scanSkills } from "./scan-skills.ts";
import { groupScanned, type ScannedSkills } from "./scanned-skills.ts";

/** Further inputs of an overview. */
export interface OverviewDeps {
  config: CoreConfig;
  /** The shell's commands. */
  commands: readonly string[];
  /** The commands of skills, by location. */
  commandNames(eligible: readonly Skill[]): ReadonlyMap<string, string>;
  /** The value of a variable or secret of the Worker. */
  secret(name: string): string | undefined;
}

/** An overview of an agent's skills, without any secret's value. */
export interface SkillsOverview {
  /** Sorted by name; of one name, the used skill first. */
  skills: SkillOverviewRow[];
  totals: {
    found: number;
    eligible: number;
    shown: number;
    cut: number;
    /** Of the list in the prompt. */
    tokens: number;
    chars: number;
  };
  /** Names of secrets that entries of usable skills refer to and that are not set. */
  unset: string[];
  /** Other problems of variables for skills. */
  warnings: string[];
}

/** One skill or location. The fields of its SKILL.md are absent if it is not a usable skill. */
export interface SkillOverviewRow extends Partial<SkillDetails> {
  name: string;
  source: SkillSource;
  location: string;
  eligible: boolean;
  /** Why it may not be used: a code and a sentence. */
  code?: string;
  reason?: string;
  /** Whether the prompt lists it. */
  shown: boolean;
  /** Why a limit keeps it out of the prompt. */
  cut?: string;
  /** Its estimated tokens in each prompt that lists it. */
  tokens: number;
}

/** The fields of a SKILL.md, and their effects. */
export interface SkillDetails {
  description: string;
  version: string;
  /** In bytes. */
  size: number;
  baseDir: string;
  /** Its key in `skills.entries`. */
  key: string;
  /** Its command. */
  command?: string;
  /** The tool that its command calls without a model. */
  commandTool?: string;
  emoji?: string;
  homepage?: string;
  license?: string;
  compatibility?: string;
  allowedTools?: readonly string[];
  /** Variables that its entry assigns, and whether each has a value. */
  env: { name: string; set: boolean }[];
  installers: IdleInstaller[];
  warnings: string[];
}

/** Builds the overview of scanned skills under the current configuration. */
export function skillsOverview(found: ScannedSkills, agent: Agent, deps: OverviewDeps): SkillsOverview {
  const { config, commands, secret } = deps;
  const facts = gateFacts(config, agent, { commands, secret, quarantined: found.quarantined });
  const { eligible, leftOut } = gateSkills(found.skills, facts);
  const { entries } = config.skills;
  const list = skillsPrompt(eligible, agent.skillsLimits);
  const { refused, missing } = skillEnv(eligible, entries, secret);
  const commandNames = deps.commandNames(eligible);
  const [gates, cut] = [byLocation(leftOut), byLocation(list.cut)];
  const shown = new Set(list.shown.map(({ location }) => location));
  const buildRow = (skill: Skill): SkillOverviewRow => {
    const { name, source, location } = skill;
    const [gate, cutBy] = [gates.get(location), cut.get(location)];
    const command = commandNames.get(location);
    return {
      name,
      source,
      location,
      eligible: gate === undefined,
      ...(gate !== undefined && { code: gate.code, reason: gate.reason }),
      shown: shown.has(location),
      ...(cutBy !== undefined && { cut: cutBy.reason }),
      tokens: skillTokens(skill),
      ...skillDetails(skill),
      ...(command !== undefined && { command, ...commandTool(skill) }),
      env: skillVariables(skill, entries).map(({ name, id }) => ({ name, set: secret(id) !== undefined })),
      installers: idleInstallers(skill.metadata.install, facts.commands),
      warnings: [...(skill.issues ?? []), ...unnamedVariables(skill, entries, secret)],
    };
  };
  const skills = [...found.skills.map(buildRow), ...found.leftOut.map(leftOutRow)].sort(byNameAndStrength);
  return {
    skills,
    totals: {
      found: skills.length,
      eligible: eligible.length,
      shown: list.shown.length,
      cut: list.cut.length,
      tokens: list.text === undefined ? 0 : estimateTokens(list.text),
      chars: list.text?.length ?? 0,
    },
    unset: missing,
    warnings: refused,
  };
}

function commandTool({ invocation: { dispatchTool } }: Skill): { commandTool?: string } {
  return dispatchTool === undefined ? {} : { commandTool: dispatchTool };
}

function skillDetails(skill: Skill): Omit<SkillDetails, "command" | "commandTool" | "env" | "installers" | "warnings"> {
  const { description, version, size, baseDir, metadata, license, compatibility, allowedTools } = skill;
  const { emoji, homepage = skill.homepage } = metadata;
  return {
    description,
    version,
    size,
    baseDir,
    key: skillKey(skill),
    ...(emoji !== undefined && { emoji }),
    ...(homepage !== undefined && { homepage }),
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(allowedTools !== undefined && { allowedTools }),
  };
}

/** Warnings about required variables that are set in the Worker but not assigned to the skill by its entry. */
function unnamedVariables(
  skill: Skill,
  entries: CoreConfig["skills"]["entries"],
  secret: OverviewDeps["secret"],
): string[] {
  const assigned = new Set(skillVariables(skill, entries).map(({ name }) => name));
  const required = skill.metadata.requires?.env ?? [];
  const field = (name: string) =>
    name === skill.metadata.primaryEnv && skillEntry(skill, entries)?.apiKey === undefined ? "apiKey" : `env.${name}`;
  return required
    .filter((name) => !assigned.has(name) && !isReservedName(name) && secret(name) !== undefined)
    .map((name) => {
      const at = `skills.entries.${skillKey(skill)}.${field(name)}`;
      return `${name} is set, and its commands do not see it: name it in ${at}.`;
    });
}

function leftOutRow({ name, source, location, code, reason }: LeftOut): SkillOverviewRow {
  return { name, source, location, eligible: false, code, reason, shown: false, tokens: 0 };
}

function byLocation(leftOut: readonly LeftOut[]): ReadonlyMap<string, LeftOut> {
  return new Map(leftOut.map((one) => [one.location, one]));
}

function byNameAndStrength(a: SkillOverviewRow, b: SkillOverviewRow): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return SKILL_SOURCES.indexOf(a.source) - SKILL_SOURCES.indexOf(b.source);
}

/**
 * Scans an agent's skills outside any session, and builds their overview. Never rejects: a root that does not answer is
 * among the skills that are left out.
 */
export async function agentSkillsOverview(agent: Agent, services: Services): Promise<SkillsOverview> {
  const { scanned } = await scanSkills(agent, services, undefined);
  return skillsOverview(groupScanned(scanned), agent, {
    config: services.config,
    commands: SHELL_COMMANDS,
    secret: services.secret,
    commandNames: (eligible) =>
      new Map(skillCommands(eligible, COMMAND_NAMES).map(({ name, skill }) => [skill.location, name])),
  });
}
