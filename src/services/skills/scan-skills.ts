import type { Agent } from "../../config/agents.ts";
import { discover } from "../../skills/discover.ts";
import type { LeftOut } from "../../skills/skill.ts";
import { SkillCache } from "../../skills/skill-cache.ts";
import type { WorkspaceEntry } from "../../workspace/workspace.ts";
import type { Services } from "../services.ts";
import { quarantinedAmong } from "./quarantined.ts";
import { withQuarantinedNames } from "./quarantined-names.ts";
import { type ScannedSkill, scannedSkills } from "./scanned-skills.ts";
import { rootsToScan } from "./skill-roots.ts";

/** What a look at an agent's skills came to. */
export interface SkillScan {
  /** The same for the same files, in the same order. */
  scanned: ScannedSkill[];
  /** Places and files that did not answer: there may be more skills than were found. */
  unanswered: LeftOut[];
}

/** Every SKILL.md that this isolate has read, by place and version. */
const remembered = new SkillCache();

/** How a look says that a place or a file did not answer. */
const UNANSWERED: ReadonlySet<string> = new Set(["unreachable", "unreadable"]);

/**
 * Looks for an agent's skills wherever it may have some: a listing of each place, and a read of each SKILL.md that this isolate
 * has not read yet in its version. Never rejects.
 * @param listing the root of the workspace, where it was listed already: a folder that is not in it is not asked for
 * @param finishes whether installs that were cut off are gone on with; else nothing is changed
 */
export async function scanSkills(
  agent: Agent,
  services: Services,
  listing: readonly WorkspaceEntry[] | undefined,
  finishes = false,
): Promise<SkillScan> {
  const roots = await rootsToScan(agent, services, listing);
  const { skills, leftOut, files } = await discover(roots, services.config.skills.limits, remembered);
  const { quarantined, unanswered } = await quarantinedAmong(files, agent, services, finishes);
  return {
    scanned: scannedSkills(withQuarantinedNames({ skills, leftOut, quarantined })),
    unanswered: [...leftOut.filter(({ code }) => UNANSWERED.has(code)), ...unanswered],
  };
}
