import { findInstalled } from "./find-installed.ts";
import { filesIn, finishRemoval } from "./finish-work.ts";
import type { InstallPlace } from "./install-place.ts";
import { busy } from "./install-skill.ts";
import { type RemovingEntry, withEntry } from "./lock.ts";
import { changeLock } from "./lock-store.ts";

/** What a removal came to. */
export interface RemovalOutcome {
  folder: string;
  entry: RemovingEntry;
  /** Files that were not part of the install, and stay. Paths in the skill's folder. */
  left: string[];
}

/**
 * Removes an installed skill: the files that the lock lists, as they are now. They are kept as versions.
 * @throws IsopodError `not_found`, `conflict`
 */
export async function removeSkill(place: InstallPlace, name: string): Promise<RemovalOutcome> {
  const { folder, entry } = await findInstalled(place, name);
  const removing: RemovingEntry = { ...entry, state: "removing", workId: place.newId(), since: place.now() };
  await changeLock(place, (lock) => {
    const there = lock.skills.get(folder);
    if (there?.state === "removing" && there.workId === removing.workId) return undefined;
    if (JSON.stringify(there) !== JSON.stringify(entry)) throw busy(folder);
    return withEntry(lock, folder, removing);
  });
  await finishRemoval(place, folder, removing);
  return { folder, entry: removing, left: [...(await filesIn(place, folder)).keys()] };
}
