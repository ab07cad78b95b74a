import type { Agent } from "../../config/agents.ts";
import { discover } from "../../skills/discover.ts";
import { installedSkillSource } from "../../skills/install/install-skill.ts";
import { checkQuarantine, type FilesByLocation } from "../../skills/install/quarantine.ts";
import type { LeftOut } from "../../skills/skill.ts";
import { SkillCache } from "../../skills/skill-cache.ts";
import type { WorkspaceEntry } from "../../workspace/workspace.ts";
import type { Services } from "../services.ts";
import { type ScannedSkill, type ScannedSkills, scannedSkills } from "./scanned-skills.ts";
import { installTargets } from "./skill-installs.ts";
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
  const { quarantined, unanswered } = await findQuarantined(files, agent, services, finishes);
  return {
    scanned: scannedSkills(withQuarantinedNames({ skills, leftOut, quarantined })),
    unanswered: [...leftOut.filter(({ code }) => UNANSWERED.has(code)), ...unanswered],
  };
}

/**
 * Which of the skills that were found are not what was installed, and why. A record of installs is read only where a skill was
 * found that it may be about: one R2 operation each. Never rejects.
 * @param finishes whether installs that were cut off are gone on with
 * @returns also the places whose record did not answer; their skills are not to be used then
 */
export async function findQuarantined(
  files: FilesByLocation,
  agent: Agent,
  services: Services,
  finishes: boolean,
): Promise<{ quarantined: ReadonlyMap<string, string>; unanswered: LeftOut[] }> {
  const { own, managed } = installTargets(agent, services);
  const places = await Promise.all(
    [own, managed].map(async (place) => ({ place, ...(await checkQuarantine(place, files, finishes)) })),
  );
  return {
    quarantined: new Map(places.flatMap(({ reasons }) => [...reasons])),
    unanswered: places.flatMap(({ place, unanswered: reason }) => {
      const location = place.lockKey;
      const left = { name: location, source: installedSkillSource(place), location, code: "unreachable" };
      return reason === undefined ? [] : [{ ...left, reason }];
    }),
  };
}

/**
 * Has a quarantine hold for the name, too: who changes an installed skill could else write another one of that name into a folder that
 * comes before it, and nobody would see that something was changed. Of a stronger source it is somebody's own choice, and stays.
 */
export function withQuarantinedNames({ skills, leftOut, quarantined }: ScannedSkills): ScannedSkills {
  const hidden = leftOut.filter(({ code, location }) => code === "shadowed" && quarantined.has(location));
  const shut = new Map(quarantined);
  for (const { name, source, location } of skills) {
    const twin = hidden.find((one) => one.name === name && one.source === source);
    if (twin === undefined || quarantined.has(location)) continue;
    shut.set(
      location,
      `It has the name of ${twin.location}, which is quarantined. Settle that first, or rename this one.`,
    );
  }
  const told = leftOut.map((one) =>
    hidden.includes(one) ? { ...one, code: "quarantined", reason: quarantined.get(one.location) ?? one.reason } : one,
  );
  return { skills, leftOut: told, quarantined: shut };
}
