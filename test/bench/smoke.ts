/** Counts do not vary, so that one above these is a change of the code. */
const MOST: Record<string, number> = {
  statementsPerTurn: 16,
  transactionsBeforeModel: 2,
  // The workspace beside the turn, and skills after it.
  r2PerTurn: 2,
  r2BeforeModel: 0,
  d1BeforeModel: 0,
  "perTurnAfterMinute.remoteStepsBeforeModel": 1,
  mainKiB: 700,
  bundleKiB: 2300,
};

/** What is wrong with a report: a figure that is no number, and a count above the most that it may be. */
export function faultsIn(report: object): string[] {
  const faults: string[] = [];
  const visit = (value: unknown, path: string) => {
    if (typeof value === "number") {
      const most = MOST[path];
      if (!Number.isFinite(value)) faults.push(`${path} is ${value}.`);
      if (most !== undefined && value > most) faults.push(`${path} is ${value}, and at most ${most} is allowed.`);
    } else if (value === null || value === undefined) {
      // The memory and the CPU time of other processes are known on Linux alone.
      if (process.platform === "linux") faults.push(`${path} is missing.`);
    } else if (typeof value === "object") {
      for (const [name, one] of Object.entries(value)) visit(one, path === "" ? name : `${path}.${name}`);
    }
  };
  visit(report, "");
  return faults;
}
