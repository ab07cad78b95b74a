import type { LeftOut, Skill, SkillRoot } from "../../skills/skill.ts";
import type { SkillSet } from "../../skills/skill-set.ts";
import { SkillFiles } from "./skill-files.ts";

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
