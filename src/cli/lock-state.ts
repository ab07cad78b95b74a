import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { probePort } from "./port.ts";
import { Problem } from "./problem.ts";

/** How long a program may take to listen, in milliseconds. */
const STARTS_WITHIN_MS = 120_000;

/** Who uses a state folder: its process, its port, and when it began, in milliseconds since the epoch. */
interface Holder {
  pid: number;
  port: number;
  at: number;
}

/**
 * Locks a state folder for this process: two Workers over the same files would each hold sessions that the other one
 * changes. A lock that a killed program has left counts no longer, unless its Worker was left over and still answers.
 * @param isIsopod whether Isopod answers at a port of this machine
 * @throws Problem that names who uses it
 */
export async function lockState(
  stateFolder: string,
  port: number,
  isIsopod: (port: number) => Promise<boolean>,
): Promise<{ release(): Promise<void> }> {
  const file = join(stateFolder, "isopod.lock");
  const mine = JSON.stringify({ pid: process.pid, port, at: Date.now() } satisfies Holder);
  for (let tries = 0; !(await isCreated(file, mine)); tries++) {
    const holder = await holderOf(file);
    if (holder !== undefined && (await isAtWork(holder, isIsopod))) throw inUse(stateFolder, holder);
    if (tries > 10) throw new Problem(`${file} cannot be replaced. Delete it if no Isopod runs over this folder.`);
    await rm(file, { force: true });
  }
  return { release: () => rm(file, { force: true }) };
}

function inUse(stateFolder: string, { pid, port }: Holder): Problem {
  return new Problem(
    `Isopod already runs over ${stateFolder}: process ${pid}, port ${port}.\nEnd it first, or keep data elsewhere: npm start -- --persist-to <dir>`,
  );
}

async function isCreated(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Undefined where the file is gone, or was not written whole. */
async function holderOf(file: string): Promise<Holder | undefined> {
  try {
    const { pid, port, at } = JSON.parse(await readFile(file, "utf8"));
    return [pid, port, at].every(Number.isInteger) ? { pid, port, at } : undefined;
  } catch {
    return undefined;
  }
}

async function isAtWork({ pid, port, at }: Holder, isIsopod: (port: number) => Promise<boolean>): Promise<boolean> {
  if (pid !== process.pid && isRunning(pid) && Date.now() - at < STARTS_WITHIN_MS) return true;
  return (await probePort(port)) === "taken" && isIsopod(port);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
