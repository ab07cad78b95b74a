import type { InstallPlace } from "./install-place.ts";
import type { LockEntry, LockSource } from "./lock.ts";
import { readLock } from "./lock-store.ts";
import type { SignatureFinding } from "./signature.ts";

/** What is recorded of an installed skill, as people are told. */
export interface InstalledView {
  name: string;
  folder: string;
  location: string;
  /** Whether all agents have it. */
  global: boolean;
  version: string;
  source: LockSource;
  signature: SignatureFinding;
  /** Whether an owner has accepted it as something else than was installed. */
  modified: boolean;
  /** Milliseconds since the epoch. */
  installedAt: number;
  fileCount: number;
  bytes: number;
}

/** An entry of a lock as people are told of it. */
export function viewOfInstalled(
  { address, scope }: Pick<InstallPlace, "address" | "scope">,
  folder: string,
  entry: LockEntry,
): InstalledView {
  const { name, version, source, signature, modified = false, installedAt, files } = entry;
  return {
    name,
    folder,
    location: `${address}${folder}/SKILL.md`,
    global: scope === "managed",
    version,
    source,
    signature,
    modified,
    installedAt,
    fileCount: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
  };
}

/** What is installed in some places, by the location of each SKILL.md. A lock that cannot be read has none. @throws WorkspaceError */
export async function installedIn(places: readonly InstallPlace[]): Promise<ReadonlyMap<string, InstalledView>> {
  const locks = await Promise.all(places.map((place) => readLock(place)));
  const views = locks.flatMap((stored, index) => {
    const place = places[index];
    if (place === undefined || stored.kind === "damaged") return [];
    return [...stored.lock.skills].flatMap(([folder, entry]) =>
      entry.state === "damaged" ? [] : [viewOfInstalled(place, folder, entry)],
    );
  });
  return new Map(views.map((view) => [view.location, view]));
}
