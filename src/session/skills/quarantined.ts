import type { Agent } from "../../config/agents.ts";
import { messageOf } from "../../lib/errors.ts";
import { agentPlace, type InstallPlace, managedPlace } from "../../skills/install/install-place.ts";
import { type FoundFiles, integrityOf } from "../../skills/install/integrity.ts";
import { readLock } from "../../skills/install/lock-store.ts";
import type { LeftOut, SkillRoot } from "../../skills/skill.ts";
import type { Wiring } from "../wiring.ts";

/** Where installs may have put skills for an agent: into its workspace, and where all agents have theirs. */
function placesOf(agent: Agent, { installs, workspaceOf }: Wiring): InstallPlace[] {
  return [agentPlace(installs, agent, workspaceOf(agent)), managedPlace(installs)];
}

/**
 * Which of the skills that were found are not what was installed, and why. A record of installs is read only where a skill was
 * found that it may be about: one R2 operation each. Never rejects.
 * @returns also the places whose record did not answer; their skills are not to be used then
 */
export async function quarantinedAmong(
  files: FoundFiles,
  roots: readonly SkillRoot[],
  agent: Agent,
  wiring: Wiring,
): Promise<{ quarantined: ReadonlyMap<string, string>; unanswered: LeftOut[] }> {
  const answers = await Promise.all(
    placesOf(agent, wiring).map((place) =>
      judge(place, { files, root: roots.find(({ address }) => address === place.address) }),
    ),
  );
  return {
    quarantined: new Map(answers.flatMap(({ reasons }) => [...reasons])),
    unanswered: answers.flatMap(({ unanswered }) => unanswered),
  };
}

async function judge(
  place: InstallPlace,
  { files, root }: { files: FoundFiles; root: SkillRoot | undefined },
): Promise<{ reasons: ReadonlyMap<string, string>; unanswered: LeftOut[] }> {
  const { address } = place;
  const own = new Map([...files].filter(([location]) => location.startsWith(address)));
  if (root === undefined || own.size === 0) return { reasons: new Map(), unanswered: [] };
  try {
    const lock = await readLock(place);
    return { reasons: await integrityOf({ lock, address, read: root.read }, own), unanswered: [] };
  } catch (error) {
    const reason = `Whether it is what was installed cannot be found out: ${messageOf(error)} It is tried again later.`;
    const { source } = root;
    const unanswered = { name: place.lockKey, source, location: place.lockKey, code: "unreachable", reason };
    return { reasons: new Map([...own.keys()].map((location) => [location, reason])), unanswered: [unanswered] };
  }
}
