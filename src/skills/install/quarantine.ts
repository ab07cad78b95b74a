import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { WorkspaceError } from "../../workspace/workspace.ts";
import { finishAbandoned } from "./finish-work.ts";
import type { InstallPlace } from "./install-place.ts";
import { type FoundFiles, integrityOf } from "./integrity.ts";
import { readLock } from "./lock-store.ts";

/**
 * Why skills that were found are not to be used, by their location: for the gates' `quarantined`. One R2 operation a place, and one for
 * each file whose etag is not the lock's. Where a place does not answer, none of its skills is trusted. Work that was cut
 * off is gone on with on the way; its skills count from the next look. Never throws.
 */
export async function quarantineOf(
  places: readonly InstallPlace[],
  found: FoundFiles,
): Promise<ReadonlyMap<string, string>> {
  const looks = await Promise.all(places.map((place) => lookAt(place, found)));
  return new Map(looks.flatMap((reasons) => [...reasons]));
}

async function lookAt(place: InstallPlace, found: FoundFiles): Promise<ReadonlyMap<string, string>> {
  const { address } = place;
  try {
    const lock = await readLock(place);
    const reasons = await integrityOf({ lock, address, read: (path) => readFrom(place, path) }, found);
    await finishAbandoned(place, lock);
    return reasons;
  } catch (thrown) {
    log("warn", "skills.integrity_unknown", { lock: place.lockKey, error: messageOf(thrown) });
    const here = [...found.keys()].filter((location) => location.startsWith(address));
    return new Map(here.map((location) => [location, UNKNOWN]));
  }
}

const UNKNOWN = "Nobody knows whether this is what was installed: the file store did not answer.";

async function readFrom({ files, root }: InstallPlace, path: string): Promise<Uint8Array | undefined> {
  try {
    return (await files.read(root + path)).bytes;
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}
