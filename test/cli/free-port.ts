import { freePortAbove } from "../../src/cli/port.ts";

/** So many ports belong to each process that runs a file of tests: two at once do not look at the same ones. */
const PORTS_PER_PROCESS = 10;

let asked = 0;

/** A free port, another one at each call. */
export function freePort(): Promise<number> {
  const first = 20_000 + (process.pid % 1_000) * PORTS_PER_PROCESS;
  return freePortAbove(first + (asked++ % PORTS_PER_PROCESS));
}
