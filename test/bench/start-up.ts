import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { bundleWorker } from "../../src/cli/bundle.ts";
import type { Stage } from "./stage.ts";
import { startModules } from "./start-modules.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Where `npm run build:worker` puts the Worker, with the configuration for its upload. */
const CONFIG = "dist/worker/wrangler.json";

/** What a deployed Worker is and what an isolate does when it starts. */
export interface StartUp {
  /** Compressed size of the modules that are evaluated at start, and of all, in KiB. */
  mainKiB: number;
  bundleKiB: number;
  /** CPU time of a start in milliseconds, the least of several: the profile of `wrangler check startup` without idle time. */
  startupCpuMs: number;
}

/** Measures the Worker that `npm run deploy` would upload. */
export async function measureStartUp(stage: Stage, profiles: number): Promise<StartUp> {
  const bundle = await bundleWorker(join(ROOT, "src", "index.ts"));
  const start = startModules(bundle).modules;
  const kib = (paths?: readonly string[]) => {
    const counted = bundle.modules.filter(({ path }) => paths?.includes(path) ?? true);
    return Math.round(counted.reduce((sum, { text }) => sum + gzipSync(text).length / 1024, 0));
  };
  await promisify(execFile)(process.execPath, ["src/cli/build.ts"], { cwd: ROOT });
  const times: number[] = [];
  for (let n = 0; n < profiles; n++) {
    const outfile = stage.path("start.cpuprofile");
    await stage.wrangler("check", "startup", "--config", CONFIG, `--args=--config ${CONFIG}`, "--outfile", outfile);
    times.push(busyMs(JSON.parse(await readFile(outfile, "utf8"))));
  }
  return { mainKiB: kib(start), bundleKiB: kib(), startupCpuMs: Math.round(Math.min(...times)) };
}

/** A CPU profile as V8 writes it. Times are in microseconds. */
export interface CpuProfile {
  nodes: readonly { id: number; callFrame: { functionName: string } }[];
  /** The node of each sample. */
  samples: readonly number[];
  /** The time before each sample. */
  timeDeltas: readonly number[];
}

/** The time of a profile in which something was done, in milliseconds. */
export function busyMs({ nodes, samples, timeDeltas }: CpuProfile): number {
  const idle = new Set(nodes.flatMap(({ id, callFrame }) => (callFrame.functionName === "(idle)" ? [id] : [])));
  return samples.reduce((sum, node, at) => (idle.has(node) ? sum : sum + (timeDeltas[at] ?? 0)), 0) / 1000;
}
