import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { WorkspaceError } from "../../workspace/workspace.ts";
import { finishAbandoned } from "./finish-work.ts";
import type { InstallPlace } from "./install-place.ts";
import { type FoundFiles, integrityOf } from "./integrity.ts";
import { readLock } from "./lock-store.ts";

/** What is not to be used of a place, and whether that could be found out. */
export interface Quarantine {
  /** By location: for the gates' `quarantined`. */
  reasons: ReadonlyMap<string, string>;
  /** Why nobody knows whether these skills are what was installed; none of them is trusted then. */
  unanswered?: string;
}

/**
 * Which of the skills that were found in a place are not to be used, and why. One R2 operation where any was found there, and one for
 * each file whose etag is not the lock's. Never rejects.
 * @param finishes whether work that was cut off is gone on with on the way; its skills count from the next look
 */
export async function quarantineOf(place: InstallPlace, found: FoundFiles, finishes: boolean): Promise<Quarantine> {
  const { address } = place;
  const here = new Map([...found].filter(([location]) => location.startsWith(address)));
  if (here.size === 0) return { reasons: new Map() };
  try {
    const lock = await readLock(place);
    const reasons = await integrityOf({ lock, address, read: (path) => readFrom(place, path) }, here);
    if (finishes) await finishAbandoned(place, lock);
    return { reasons };
  } catch (thrown) {
    log("warn", "skills.integrity_unknown", { lock: place.lockKey, error: messageOf(thrown) });
    const unanswered = `Whether it is what was installed cannot be found out: ${messageOf(thrown)} It is tried again later.`;
    return { reasons: new Map([...here.keys()].map((location) => [location, unanswered])), unanswered };
  }
}

async function readFrom({ files, root }: InstallPlace, path: string): Promise<Uint8Array | undefined> {
  try {
    return (await files.read(root + path)).bytes;
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}
