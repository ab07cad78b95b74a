import type { Agent } from "../../config/agents.ts";
import { discover } from "../../skills/discover.ts";
import { installedSkillSource } from "../../skills/install/install-target.ts";
import { checkQuarantine, type FilesByLocation } from "../../skills/install/quarantine.ts";
import type { LeftOut, Skill, SkillRoot } from "../../skills/skill.ts";
import { SkillCache } from "../../skills/skill-cache.ts";
import type { WorkspaceEntry } from "../../workspace/workspace.ts";
import type { Services } from "../services.ts";
import { installTargets } from "./install-targets.ts";
import { type ScannedSkill, type ScannedSkills, scannedSkills } from "./scanned-skills.ts";
import { listedRoots } from "./skill-listings.ts";
import { rootsToScan } from "./skill-roots.ts";

/** The result of scanning an agent's skills. */
export interface SkillScan {
  /** Equal and in the same order for the same files. */
  scanned: ScannedSkill[];
  /** Roots and files that did not answer, so skills may be missing. */
  unanswered: LeftOut[];
}

/** All SKILL.md files that this isolate has parsed. */
const cache = new SkillCache();

/** The codes of roots and files that did not answer. */
const UNANSWERED: ReadonlySet<string> = new Set(["unreachable", "unreadable"]);

/**
 * Scans all roots of an agent's skills: lists each root, and reads each SKILL.md that is not cached. Never rejects.
 * @param listing the root of the workspace, if it was listed already: missing folders are not listed
 */
export async function scanSkills(
  agent: Agent,
  services: Services,
  listing: readonly WorkspaceEntry[] | undefined,
): Promise<SkillScan> {
  return scanRoots(await rootsToScan(agent, services, listing), agent, services, false);
}

/**
 * The same from listings that this isolate has made: of the last minute, or of any age where a look for changes was just
 * made. Abandoned installs are finished.
 */
export async function scanListedSkills(agent: Agent, services: Services, age: "fresh" | "known"): Promise<SkillScan> {
  return scanRoots(await listedRoots(agent, services, age), agent, services, true);
}

async function scanRoots(
  roots: readonly SkillRoot[],
  agent: Agent,
  services: Services,
  finishes: boolean,
): Promise<SkillScan> {
  const { skills, leftOut, files } = await discover(roots, services.config.skills.limits, cache);
  const { quarantined: changed, signed, unanswered } = await findQuarantined(files, agent, services, finishes);
  const { requireSignature } = services.config.skills.install;
  const quarantined = requireSignature ? withUnsigned(changed, skills, signed) : changed;
  return {
    scanned: scannedSkills(withQuarantinedNames({ skills, leftOut, quarantined })),
    unanswered: [...leftOut.filter(({ code }) => UNANSWERED.has(code)), ...unanswered],
  };
}

/**
 * Finds the skills that differ from what was installed. It reads the lock of an install target, one R2 operation, only
 * if a scanned skill is in that target. Never rejects.
 * @param finishes whether abandoned installs are finished
 * @returns also the targets whose lock did not answer; their skills must not be used
 */
async function findQuarantined(
  files: FilesByLocation,
  agent: Agent,
  services: Services,
  finishes: boolean,
): Promise<{ quarantined: ReadonlyMap<string, string>; signed: ReadonlySet<string>; unanswered: LeftOut[] }> {
  const { own, managed } = installTargets(agent, services);
  const checked = await Promise.all(
    [own, managed].map(async (target) => ({ target, ...(await checkQuarantine(target, files, finishes)) })),
  );
  return {
    quarantined: new Map(checked.flatMap(({ reasons }) => [...reasons])),
    signed: new Set(checked.flatMap(({ signed }) => [...signed])),
    unanswered: checked.flatMap(({ target, unanswered: reason }) => {
      const location = target.lockKey;
      const left = { name: location, source: installedSkillSource(target), location, code: "unreachable" };
      return reason === undefined ? [] : [{ ...left, reason }];
    }),
  };
}

const UNSIGNED =
  "skills.install.requireSignature is set, and it has no signature of a trusted key. Install a signed one, or take the setting back.";

/** A quarantine with every skill that is neither bundled nor signed by a trusted key. */
function withUnsigned(
  quarantined: ReadonlyMap<string, string>,
  skills: readonly Skill[],
  signed: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const unsigned = skills.filter(
    ({ source, location }) => source !== "bundled" && !signed.has(location) && !quarantined.has(location),
  );
  return new Map([...quarantined, ...unsigned.map(({ location }) => [location, UNSIGNED] as const)]);
}

/**
 * Extends a quarantine to the skill's name: otherwise a modified installed skill could be replaced unnoticed by another
 * one of that name in an earlier folder of the same source. A skill of a stronger source was put there deliberately and
 * stays.
 */
function withQuarantinedNames({ skills, leftOut, quarantined }: ScannedSkills): ScannedSkills {
  const hidden = leftOut.filter(({ code, location }) => code === "shadowed" && quarantined.has(location));
  const extended = new Map(quarantined);
  for (const { name, source, location } of skills) {
    const quarantinedTwin = hidden.find((one) => one.name === name && one.source === source);
    if (quarantinedTwin === undefined || quarantined.has(location)) continue;
    extended.set(
      location,
      `It has the name of ${quarantinedTwin.location}, which is quarantined. Settle that first, or rename this one.`,
    );
  }
  const reported = leftOut.map((one) =>
    hidden.includes(one) ? { ...one, code: "quarantined", reason: quarantined.get(one.location) ?? one.reason } : one,
  );
  return { skills, leftOut: reported, quarantined: extended };
}
