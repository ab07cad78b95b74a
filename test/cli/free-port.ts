import { freePortAbove } from "../../src/cli/port.ts";

/** Each process has this many ports of its own, so that files that run at the same time do not try the same ones. */
const PORTS_PER_PROCESS = 10;

let last = 20_000 + (process.pid % 1_000) * PORTS_PER_PROCESS;

/** A free port, another one at each call. */
export async function freePort(): Promise<number> {
  last = await freePortAbove(last);
  return last;
}
