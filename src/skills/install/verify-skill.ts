import { atMost } from "../../lib/at-most.ts";
import { digestOf } from "../../lib/digest.ts";
import { WorkspaceError, type WorkspaceFile } from "../../workspace/workspace.ts";
import { folderDigest } from "../folder-digest.ts";
import { findInstalled, type InstalledSkill } from "./find-installed.ts";
import { filesIn } from "./finish-work.ts";
import type { InstallPlace } from "./install-place.ts";
import type { LockedFile } from "./manifest.ts";

const AT_ONCE = 4;

/** How a file is, compared with the lock. */
export interface VerifiedFile {
  path: string;
  status: "ok" | "changed" | "missing" | "added";
}

/** Every file of a skill, read and compared. */
export interface Verification extends InstalledSkill {
  ok: boolean;
  /** A digest of the files that were compared; see `folderDigest`. */
  seen: string;
  files: VerifiedFile[];
}

/** Reads all files of an installed skill and compares their SHA-256 with the lock. Changes nothing. @throws IsopodError, WorkspaceError */
export async function verifySkill(place: InstallPlace, name: string): Promise<Verification> {
  const found = await findInstalled(place, name);
  const there = await filesIn(place, found.folder);
  const compared = await atMost(AT_ONCE, found.entry.files, async (file) => ({
    path: file.path,
    status: await statusOf(place, file, there.get(file.path)),
  }));
  const known = new Set(found.entry.files.map(({ path }) => path));
  const added = [...there.keys()].filter((path) => !known.has(path));
  const files = [...compared, ...added.map((path) => ({ path, status: "added" as const }))];
  return { ...found, ok: files.every(({ status }) => status === "ok"), seen: await seenOf(there), files };
}

/** What somebody who looks at the folder now has seen. */
export function seenOf(there: ReadonlyMap<string, WorkspaceFile>): Promise<string> {
  return folderDigest([...there].map(([path, { etag }]) => ({ path, etag })));
}

async function statusOf(
  place: InstallPlace,
  { sha256, size }: LockedFile,
  file: WorkspaceFile | undefined,
): Promise<VerifiedFile["status"]> {
  if (file === undefined) return "missing";
  if (file.size !== size) return "changed";
  try {
    const { bytes } = await place.files.read(file.path);
    return (await digestOf("SHA-256", bytes)) === sha256 ? "ok" : "changed";
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return "missing";
    throw thrown;
  }
}
