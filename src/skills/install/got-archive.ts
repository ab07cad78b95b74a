import type { LockSource } from "./lock.ts";

/** An archive that was got from outside, and what is known about it. */
export interface GotArchive {
  archive: Uint8Array;
  source: LockSource;
  version?: string | undefined;
  /** Where the skill is in the archive. */
  path?: string | undefined;
  /** The SHA-256 of each file by path, where a registry tells them. */
  promised?: ReadonlyMap<string, string> | undefined;
  /** What its folder is called after, where that is not the skill's name. */
  called?: string | undefined;
}
