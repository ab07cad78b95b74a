import type { Agent } from "../../config/agents.ts";
import { sourceOf } from "../../skills/install/install-skill.ts";
import type { FoundFiles } from "../../skills/install/integrity.ts";
import { quarantineOf } from "../../skills/install/quarantine.ts";
import type { LeftOut } from "../../skills/skill.ts";
import type { Services } from "../services.ts";
import { installPlaces } from "./skill-installs.ts";

/**
 * Which of the skills that were found are not what was installed, and why. A record of installs is read only where a skill was
 * found that it may be about: one R2 operation each. Never rejects.
 * @param finishes whether installs that were cut off are gone on with
 * @returns also the places whose record did not answer; their skills are not to be used then
 */
export async function quarantinedAmong(
  files: FoundFiles,
  agent: Agent,
  services: Services,
  finishes: boolean,
): Promise<{ quarantined: ReadonlyMap<string, string>; unanswered: LeftOut[] }> {
  const { own, managed } = installPlaces(agent, services);
  const places = await Promise.all(
    [own, managed].map(async (place) => ({ place, ...(await quarantineOf(place, files, finishes)) })),
  );
  return {
    quarantined: new Map(places.flatMap(({ reasons }) => [...reasons])),
    unanswered: places.flatMap(({ place, unanswered: reason }) => {
      const location = place.lockKey;
      const left = { name: location, source: sourceOf(place), location, code: "unreachable" };
      return reason === undefined ? [] : [{ ...left, reason }];
    }),
  };
}
