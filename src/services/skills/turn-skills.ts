import type { Agent } from "../../config/agents.ts";
import { isReservedName } from "../../config/reserved-names.ts";
import { SHELL_COMMANDS } from "../../shell/commands.ts";
import { byLocation, gateSkills } from "../../skills/gate.ts";
import { gateFacts } from "../../skills/gate-facts.ts";
import { skillsPrompt } from "../../skills/prompt-list.ts";
import type { LeftOut, Skill, SkillRoot, SkillSet } from "../../skills/skill.ts";
import { skillEnv } from "../../skills/skill-env.ts";
import type { Services } from "../services.ts";
import { groupScanned, type ScannedSkill, type ScannedSkills } from "./scanned-skills.ts";
import { SkillFiles } from "./skill-files.ts";
import { skillRoots } from "./skill-roots.ts";

/** The skills of one turn: found at some earlier moment, and judged by the configuration that the turn works with. */
export interface TurnSkills {
  /** What may be used, and everything else that was found, with the reason. */
  readonly set: SkillSet;
  /** What the prompt lists them as; undefined where there is nothing to list. The same bytes for the same skills. */
  readonly list: string | undefined;
  /** Those in the list. */
  readonly shown: readonly Skill[];
  /** Those that may be used and did not fit into it. */
  readonly cut: readonly LeftOut[];
  /** What is to be known of those that may be used, in sentences. */
  readonly notes: readonly string[];
  /** Variables for commands of this run, with the values of secrets. They go nowhere else. */
  readonly env: Readonly<Record<string, string>>;
  /** Their files, by address; see `SkillFiles`. */
  readonly files: Pick<SkillFiles, "readFile" | "readIfAllowed" | "list" | "baseDirOf">;
  /** What the shell has below `/skills`: files of skills that may be used and are outside of the workspace. */
  readonly mounts: readonly SkillRoot[];
  /**
   * The text of the SKILL.md at a location, with `{baseDir}` replaced; undefined where nothing is there any more.
   * @throws Error with a sentence where it may not be used, or its store does not answer
   */
  read(location: string): Promise<string | undefined>;
}

const NONE: SkillSet = { eligible: [], leftOut: [] };

/** Of a turn that has none: nobody else's but an owner's turns do. */
export const NO_SKILLS: TurnSkills = {
  set: NONE,
  list: undefined,
  shown: [],
  cut: [],
  notes: [],
  env: {},
  files: new SkillFiles(NONE, []),
  mounts: [],
  read: async () => undefined,
};

/** What of the skills that were found may be used, by the configuration in force. No store is asked. */
export function gateScannedSkills(scanned: readonly ScannedSkill[], agent: Agent, services: Services): SkillSet {
  return gateGroup(groupScanned(scanned), agent, services);
}

function gateGroup(
  { skills, leftOut, quarantined }: ScannedSkills,
  agent: Agent,
  { config, secret }: Services,
): SkillSet {
  const facts = gateFacts(config, agent, { commands: SHELL_COMMANDS, secret, quarantined });
  const set = gateSkills(skills, facts);
  return { eligible: set.eligible, leftOut: [...set.leftOut, ...leftOut].sort(byLocation) };
}

/** What a turn is given of the skills that were found. No store is asked before something of them is read. */
export function turnSkills(scanned: readonly ScannedSkill[], agent: Agent, services: Services): TurnSkills {
  const found = groupScanned(scanned);
  const set = gateGroup(found, agent, services);
  const { text, shown, cut } = skillsPrompt(set.eligible, agent.skillsLimits);
  const files = new SkillFiles(set, skillRoots(agent, services));
  const { env, refused } = skillEnv(set.eligible, services.config.skills.entries, (name) =>
    skillSecret(name, services),
  );
  return {
    set,
    list: text,
    shown,
    cut,
    notes: [...skillNotes(set.eligible, found.notes), ...refused],
    env,
    files,
    mounts: files.mounts(),
    read: (location) => files.readSkill(location),
  };
}

/** What is to be known of skills that may be used, in sentences. */
function skillNotes(eligible: readonly Skill[], notes: ReadonlyMap<string, string>): string[] {
  return eligible.flatMap(({ name, location, issues = [] }) => {
    const cut = notes.get(location);
    return [...issues, ...(cut === undefined ? [] : [cut])].map((text) => `${name}: ${text}`);
  });
}

function skillSecret(name: string, { secret }: Services): string | undefined {
  return isReservedName(name) ? undefined : secret(name);
}

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
