import { finishAbandoned } from "./finish-work.ts";
import type { InstallPlace } from "./install-place.ts";
import { busy } from "./install-skill.ts";
import { folderMeant, type LockEntry } from "./lock.ts";
import { readLock, soundLock } from "./lock-store.ts";
import { refused, shown } from "./refuse.ts";

/** An entry of an installed skill with its folder. */
export interface InstalledSkill {
  folder: string;
  entry: Extract<LockEntry, { state: "installed" }>;
}

/**
 * The installed skill that a name or folder means. Work that was cut off is finished first.
 * @throws IsopodError `not_found`, `conflict` where somebody is at work on it or its entry is damaged
 */
export async function findInstalled(place: InstallPlace, name: string): Promise<InstalledSkill> {
  await finishAbandoned(place);
  const lock = soundLock(await readLock(place), place);
  const folder = folderMeant(lock, name);
  const entry = folder === undefined ? undefined : lock.skills.get(folder);
  if (folder === undefined || entry === undefined) {
    const where = place.scope === "agent" ? "in this agent's workspace" : "for all agents";
    const message = `No skill ${shown(name)} is installed ${where}.`;
    throw refused("not_installed", message, OTHERWISE[place.scope], "not_found");
  }
  if (entry.state === "installed") return { folder, entry };
  if (entry.state !== "damaged") throw busy(folder);
  const hint = `Install it again with \`replace\`, or mend its entry in ${place.lockKey} in the bucket.`;
  throw refused("lock_damaged", `What is recorded of ${shown(folder)} cannot be read: ${entry.why}`, hint, "conflict");
}

const OTHERWISE = {
  agent: "A skill of all agents is meant with `global`. One that was written in the workspace is changed there.",
  managed: "One of a single agent is meant without `global`.",
};
