import { findInstalled } from "./find-installed.ts";
import type { InstallPlace } from "./install-place.ts";
import { type InstallOutcome, installSkill } from "./install-skill.ts";
import type { LockSource } from "./lock.ts";
import { refused, shown } from "./refuse.ts";
import type { PackageRules } from "./skill-package.ts";

/** An archive that was got from a recorded source. */
export interface GotArchive {
  archive: Uint8Array;
  source: LockSource;
  version?: string | undefined;
}

export interface UpdateRequest {
  /** Another version than the newest, which the skill is then kept at. */
  version?: string | undefined;
  /** Whether local changes are given up; they are kept as versions. */
  force: boolean;
}

/** Gets an archive again. @throws IsopodError, EgressError */
export type GetAgain = (
  source: Exclude<LockSource, { kind: "upload" }>,
  version: string | undefined,
) => Promise<GotArchive>;

/**
 * Gets an installed skill again from where it came from, and installs what is new.
 * @throws IsopodError where it cannot be got again, has local changes, or is another skill by now
 */
export async function updateSkill(
  place: InstallPlace,
  rules: PackageRules,
  name: string,
  { version, force }: UpdateRequest,
  get: GetAgain,
): Promise<InstallOutcome> {
  const { folder, entry } = await findInstalled(place, name);
  const { source } = entry;
  if (source.kind === "upload") {
    const hint = "Upload the new archive, with `replace`.";
    throw refused("no_source", `${shown(folder)} was uploaded, so there is nowhere to get it from.`, hint, "conflict");
  }
  if (version !== undefined && source.kind === "url") {
    throw refused(
      "no_versions",
      `${shown(folder)} came from an address, which has no versions.`,
      "Leave `version` out.",
    );
  }
  const pinned = source.kind === "clawhub" && source.pinned ? entry.version : undefined;
  const got = await get(source, version ?? pinned);
  const path = source.kind === "url" ? source.path : undefined;
  return installSkill(place, rules, { ...got, path, called: folder, replace: force, over: entry });
}
