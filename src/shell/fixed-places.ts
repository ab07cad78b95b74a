import { readOnly } from "./file-errors.ts";
import { WORKSPACE } from "./mounts.ts";
import { isWithin } from "./tree.ts";

/** Folders that are there without anything in them. */
export const FOLDERS = ["/bin", "/dev/fd", "/skills", "/tmp", "/usr/bin", WORKSPACE];

export const DEVICES = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];

/** Where nothing is changed, but for what process substitution makes. */
export const READ_ONLY = ["/bin", "/dev", "/skills", "/usr/bin"];
const SUBSTITUTED = "/dev/fd";

/** Whether something may be made, changed or removed there. The folders that are always there stay. */
export function isChangeable(path: string): boolean {
  if (FOLDERS.some((folder) => isWithin(path, folder))) return false;
  return isWithin(SUBSTITUTED, path) || !READ_ONLY.some((folder) => isWithin(folder, path));
}

/** @throws Error `EROFS` */
export function checkChangeable(path: string): void {
  if (!isChangeable(path)) throw readOnly("open", path);
}
