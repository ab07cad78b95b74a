import type { Agent } from "../../config/agents.ts";
import { isReservedName } from "../../config/reserved-names.ts";
import type { SkillSecret } from "../../security/secret-broker.ts";
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

/** The skills of one turn: scanned earlier, and gated by the turn's configuration. */
export interface TurnSkills {
  /** The usable skills, and all others with the reason. */
  readonly set: SkillSet;
  /** The list for the prompt; undefined if it is empty. The same skills give the same bytes. */
  readonly list: string | undefined;
  /** The skills in the list. */
  readonly shown: readonly Skill[];
  /** Usable skills that did not fit into the list. */
  readonly cut: readonly LeftOut[];
  readonly notes: readonly string[];
  /** Variables for commands of this run, with values of secrets. They are used nowhere else. */
  readonly env: Readonly<Record<string, string>>;
  /** The secrets that commands see placeholders of. */
  readonly secrets: readonly SkillSecret[];
  /** Access to their files, by address; see `SkillFiles`. */
  readonly files: Pick<SkillFiles, "readFile" | "readIfAllowed" | "list" | "baseDirOf">;
  /** The shell's mounts below `/skills`: files of usable skills outside the workspace. */
  readonly mounts: readonly SkillRoot[];
  /**
   * The text of a SKILL.md with `{baseDir}` replaced; undefined if it is gone.
   * @throws Error with a sentence if it may not be used, or its store does not answer
   */
  read(location: string): Promise<string | undefined>;
}

const NONE: SkillSet = { eligible: [], leftOut: [] };

/** The skills of a turn without any: only owners' turns have skills. */
export const NO_SKILLS: TurnSkills = {
  set: NONE,
  list: undefined,
  shown: [],
  cut: [],
  notes: [],
  env: {},
  secrets: [],
  files: new SkillFiles(NONE, []),
  mounts: [],
  read: async () => undefined,
};

/** Gates scanned skills by the current configuration. No store is accessed. */
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

/** Builds a turn's skills from a scan. No store is accessed before a file is read. */
export function turnSkills(scanned: readonly ScannedSkill[], agent: Agent, services: Services): TurnSkills {
  const found = groupScanned(scanned);
  const set = gateGroup(found, agent, services);
  const { text, shown, cut } = skillsPrompt(set.eligible, agent.skillsLimits);
  const files = new SkillFiles(set, skillRoots(agent, services));
  const { env, secrets, refused } = skillEnv(set.eligible, services.config.skills.entries, (name) =>
    skillSecret(name, services),
  );
  return {
    set,
    list: text,
    shown,
    cut,
    notes: [...skillNotes(set.eligible, found.notes), ...refused],
    env,
    secrets,
    files,
    mounts: files.mounts(),
    read: (location) => files.readSkill(location),
  };
}

/** Notes on usable skills, as sentences. */
function skillNotes(eligible: readonly Skill[], notes: ReadonlyMap<string, string>): string[] {
  return eligible.flatMap(({ name, location, issues = [] }) => {
    const cut = notes.get(location);
    return [...issues, ...(cut === undefined ? [] : [cut])].map((text) => `${name}: ${text}`);
  });
}

function skillSecret(name: string, { secret }: Services): string | undefined {
  return isReservedName(name) ? undefined : secret(name);
}

/** A summary of a turn's skills for display. */
export interface SkillsReport {
  /** The number of usable skills and of listed ones, and the characters of the list. */
  eligible: number;
  listed: number;
  chars: number;
  /** The number of skills that may not be used. */
  leftOut: number;
  /** Usable skills that a limit keeps out of the list, by name, with the reason. */
  cut: { name: string; reason: string }[];
  /** Notes on usable skills, as sentences. */
  notes: string[];
}

/** Summarizes a turn's skills. */
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
