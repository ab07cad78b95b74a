import { findInstalled } from "./find-installed.ts";
import type { GotArchive } from "./got-archive.ts";
import type { InstallPlace } from "./install-place.ts";
import { type InstallOutcome, installSkill } from "./install-skill.ts";
import type { LockSource } from "./lock.ts";
import { refused, shown } from "./refuse.ts";
import type { PackageRules } from "./skill-package.ts";

export interface UpdateRequest {
  /** Of a registry's skill: the version that it is kept at from now on; `latest` for the newest, and no more kept at one. */
  version?: string | undefined;
  /** Whether local changes are given up; they are kept as versions. */
  force: boolean;
}

/** Gets an archive again; of a registry the newest where no version is named. @throws IsopodError */
export type GetAgain = (
  source: Exclude<LockSource, { kind: "upload" }>,
  version: string | undefined,
) => Promise<GotArchive>;

const NEWEST = "latest";

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
  const kept = source.kind === "clawhub" && source.pinned ? entry.version : undefined;
  const wanted = version ?? kept;
  const got = await get(source, wanted === NEWEST ? undefined : wanted);
  return installSkill(place, rules, { ...got, called: folder, replace: force, over: entry });
}
