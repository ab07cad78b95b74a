import { agentIds, agentOf } from "../config/agents.ts";
import { installTargets } from "../services/skills/skill-installs.ts";
import { ABANDONED_MS } from "../skills/install/finish-work.ts";
import type { InstallTarget } from "../skills/install/install-target.ts";
import { readLock } from "../skills/install/lock.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Most agents whose records are read: each costs one operation of R2. */
const MAX_AGENTS = 20;

/** Whether what is recorded of installed skills can be read, and no install or removal was left in the middle. */
export async function examineSkillInstalls({ services, now }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const ids = agentIds(services.config).slice(0, MAX_AGENTS);
  const places = ids.flatMap((id) => Object.values(installTargets(agentOf(services.config, id), services)));
  const byLock = new Map(places.map((place) => [place.lockKey, place]));
  return (await Promise.all([...byLock.values()].map((place) => examineLock(place, now)))).flat();
}

async function examineLock(place: InstallTarget, now: number): Promise<Check[]> {
  const { lockKey } = place;
  const head = { area: "skills", status: "warn", path: lockKey } as const;
  const stored = await readLock(place);
  if (stored.kind === "damaged") {
    const message = `The record of installed skills ${lockKey} cannot be read, so none of its skills is trusted: ${stored.why}`;
    const fix = `Mend it in the bucket; or delete it, and install its skills again with \`replace\`.`;
    return [{ ...head, id: `skills.lock.${lockKey}`, message, fix }];
  }
  return [...stored.lock.skills].flatMap(([folder, entry]): Check[] => {
    const id = `skills.lock.${lockKey}.${folder}`;
    if (entry.state === "damaged") {
      const message = `What ${lockKey} has of '${folder}' cannot be read, so it is not trusted: ${entry.why}`;
      return [{ ...head, id, message, fix: "Install it again with `replace`." }];
    }
    if (entry.state === "installed" || entry.since > now - ABANDONED_MS) return [];
    const what = entry.state === "installing" ? "The install" : "The removal";
    const message = `${what} of '${folder}' was cut off, and it is left out until that is finished.`;
    const flag = place.scope === "managed" ? "?global=true" : "";
    const fix = `It is gone on with by whoever looks next: POST /v1/agents/:id/skills/${folder}/verify${flag}.`;
    return [{ ...head, id, message, fix }];
  });
}
