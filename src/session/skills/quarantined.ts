import type { Agent } from "../../config/agents.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { finishAbandoned } from "../../skills/install/finish-work.ts";
import type { InstallPlace } from "../../skills/install/install-place.ts";
import { type FoundFiles, integrityOf } from "../../skills/install/integrity.ts";
import { readLock, type StoredLock } from "../../skills/install/lock-store.ts";
import type { LeftOut, SkillRoot } from "../../skills/skill.ts";
import type { Wiring } from "../wiring.ts";
import { installPlaces } from "./skill-installs.ts";

/** What the records of installs say of the skills that were found. */
export interface Judged {
  /** Why skills are not to be used, by location. */
  quarantined: ReadonlyMap<string, string>;
  /** Records that did not answer: none of the skills that they may be about is to be used. */
  unanswered: readonly LeftOut[];
}

const NOTHING: Judged = { quarantined: new Map(), unanswered: [] };

/**
 * Which of the skills that were found are not what was installed, and why. Costs one R2 operation for each record that may be about
 * one of them, and goes on with an install that was cut off. Never rejects.
 * @param roots those that were looked at
 */
export async function quarantinedAmong(
  files: FoundFiles,
  roots: readonly SkillRoot[],
  agent: Agent,
  wiring: Wiring,
): Promise<Judged> {
  const { own, managed } = installPlaces(agent, wiring);
  const judged = await Promise.all([own, managed].map((place) => judge(place, files, roots)));
  return {
    quarantined: new Map(judged.flatMap(({ quarantined }) => [...quarantined])),
    unanswered: judged.flatMap(({ unanswered }) => unanswered),
  };
}

async function judge(place: InstallPlace, files: FoundFiles, roots: readonly SkillRoot[]): Promise<Judged> {
  const { address, lockKey, scope } = place;
  const root = roots.find((candidate) => candidate.address === address);
  const found = [...files.keys()].filter((location) => location.startsWith(address));
  // Where all agents have theirs is listed in any case, and mostly there is nothing.
  if (root === undefined || (found.length === 0 && scope === "managed")) return NOTHING;
  try {
    const lock = await readLock(place);
    const quarantined = await integrityOf({ lock, address, read: root.read }, files);
    await goOn(place, lock);
    return { quarantined, unanswered: [] };
  } catch (error) {
    const reason = `Nobody knows whether this is what was installed: ${messageOf(error)} It is asked again later.`;
    const { source } = root;
    const unanswered = { name: lockKey, source, location: lockKey, code: "unreachable", reason };
    return { quarantined: new Map(found.map((location) => [location, reason])), unanswered: [unanswered] };
  }
}

/** What is finished by that is seen by the next look. */
async function goOn(place: InstallPlace, lock: StoredLock): Promise<void> {
  try {
    await finishAbandoned(place, lock);
  } catch (error) {
    log("warn", "skills.install_not_finished", { lock: place.lockKey, error: messageOf(error) });
  }
}
