import type { Agent } from "../../config/agents.ts";
import type { SkillSet } from "../../skills/skill-set.ts";
import type { WorkspaceEntry } from "../../workspace/workspace.ts";
import type { Occasion } from "../turn/occasion.ts";
import { NO_SKILLS, type TurnSkills } from "./turn-skills.ts";

/** What a turn's skills are gathered for, and what is known already. */
export interface SkillsRequest {
  occasion: Pick<Occasion, "speaker" | "session">;
  agent: Agent;
  /** The root of the workspace, where it was listed. */
  listing: Promise<WorkspaceEntry[] | undefined>;
}

/** The skills of one session. */
export class SessionSkills {
  /** Those of a turn that begins now. Never rejects because a store does not answer. */
  async forTurn(_: SkillsRequest): Promise<TurnSkills> {
    return NO_SKILLS;
  }

  /** Those that were found last, judged by the configuration in force, without asking any store. */
  known(): SkillSet {
    return NO_SKILLS.set;
  }
}
