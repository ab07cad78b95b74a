import { chmod, mkdir, stat } from "node:fs/promises";

const OWNER_ONLY = 0o700;
/** On a folder that everyone may write to, such as /tmp. */
const STICKY = 0o1000;

/** Makes a folder private to its owner. An existing one becomes private if this user owns it and it is not shared. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: OWNER_ONLY });
  const { uid, mode } = await stat(path);
  const isOurs = process.getuid === undefined || uid === process.getuid();
  if (isOurs && (mode & STICKY) === 0 && (mode & 0o777) !== OWNER_ONLY) await chmod(path, OWNER_ONLY);
}
