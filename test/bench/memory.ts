import { readdir, readFile } from "node:fs/promises";

/** Resident memory of a program and all that it started, in MiB; shared pages count once for each process. */
export interface Memory {
  /** The workerd processes alone: `npm start` runs one, and `wrangler dev`, which runs the floors, another in front of it. */
  workerd: number;
  /** All processes: also wrangler's own Node and its bundler. */
  tree: number;
}

interface Process {
  pid: number;
  parent: number;
  name: string;
  rssMiB: number;
}

/** The memory of the process tree below a pid, from /proc; undefined where the system has none. */
export async function memoryOf(rootPid: number): Promise<Memory | undefined> {
  if (process.platform !== "linux") return undefined;
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map((pid) => readProcess(Number(pid))))).filter((one) => one !== undefined);
  const tree = new Set([rootPid]);
  for (let grew = true; grew; ) {
    const found = all.filter((one) => tree.has(one.parent) && !tree.has(one.pid));
    for (const one of found) tree.add(one.pid);
    grew = found.length > 0;
  }
  const mine = all.filter((one) => tree.has(one.pid));
  const sum = (processes: Process[]) => Math.round(processes.reduce((total, one) => total + one.rssMiB, 0));
  return { workerd: sum(mine.filter((one) => one.name === "workerd")), tree: sum(mine) };
}

/** Undefined for a process that has just ended, and for threads of the kernel, which have no memory of their own. */
async function readProcess(pid: number): Promise<Process | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ESRCH") return "";
    throw error;
  });
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(status)?.[1];
  const [name, parent, rssKiB] = [field("Name"), field("PPid"), field("VmRSS")];
  if (name === undefined || parent === undefined || rssKiB === undefined) return undefined;
  return { pid, parent: Number(parent), name, rssMiB: Number(rssKiB) / 1024 };
}
