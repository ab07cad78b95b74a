import { readdir, readFile } from "node:fs/promises";

/** Resident memory of a program and all that it started, in MiB; shared pages count once for each process. */
export interface Memory {
  /** The workerd processes alone: `npm start` runs one, and `wrangler dev`, which runs the floors, another in front of it. */
  workerd: number;
  /** The workerd that runs the Worker itself. */
  user: number;
  /** All processes: also wrangler's own Node and its bundler. */
  tree: number;
}

interface Process {
  pid: number;
  parent: number;
  name: string;
  rssMiB: number;
}

/** The clock of the system, which Linux has at 100 Hz on all of Node's platforms. */
const TICK_MS = 10;

/** The memory of the process tree below a pid, from /proc; undefined where the system has none. */
export async function memoryOf(rootPid: number): Promise<Memory | undefined> {
  const mine = await treeOf(rootPid);
  if (mine === undefined) return undefined;
  const sum = (processes: Process[]) => Math.round(processes.reduce((total, one) => total + one.rssMiB, 0));
  const workerds = mine.filter(isWorkerd);
  return { workerd: sum(workerds), user: sum(workerds.slice(-1)), tree: sum(mine) };
}

/** The workerd that runs the Worker itself, below a pid; undefined where the system has no /proc. */
export async function workerdOf(rootPid: number): Promise<number | undefined> {
  return (await treeOf(rootPid))?.filter(isWorkerd).at(-1)?.pid;
}

/** The CPU time of a process so far in milliseconds; undefined for a process that is not known. */
export async function cpuMsOf(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined) return undefined;
  const text = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name of the program, in parentheses, may have spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** A process and all that it started, by pid, which is the order in which they were started. */
async function treeOf(rootPid: number): Promise<Process[] | undefined> {
  if (process.platform !== "linux") return undefined;
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map((pid) => readProcess(Number(pid))))).filter((one) => one !== undefined);
  const tree = new Set([rootPid]);
  for (let grew = true; grew; ) {
    const found = all.filter((one) => tree.has(one.parent) && !tree.has(one.pid));
    for (const one of found) tree.add(one.pid);
    grew = found.length > 0;
  }
  return all.filter((one) => tree.has(one.pid)).sort((a, b) => a.pid - b.pid);
}

function isWorkerd({ name }: Process): boolean {
  return name === "workerd";
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
