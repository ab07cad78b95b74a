import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { Problem, runCommand } from "../../../src/cli/problem.ts";
import { parseDuration } from "../../../src/lib/duration.ts";
import { bundleWorker, migrate, modulesIn } from "../../fakes/worker-bundle.ts";
import { resultOf } from "./result.ts";
import type { Minutes } from "./worker.ts";
import type { Fate, WorldReport } from "./world.ts";

const CONFIG = join(import.meta.dirname, "wrangler.toml");
const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 9, 19, 0, 0);
/** Minutes that one request simulates. */
const MINUTES_AT_ONCE = 30;
/** Minutes at the end without faults: longer than a lease. */
const QUIET_MINUTES = 45;

const USAGE = `Usage: npm run simulate:schedule -- [options]

Lets agents beat for some days, minute by minute, through the real due logic, queue consumer and D1.

  --agents <number>  How many agents (default: 2000)
  --days <number>    How many days (default: 7)
  --every <span>     How often each beats (default: 30m)
  --empty <share>    How many of them have an empty HEARTBEAT.md, from 0 to 1 (default: 0)
  --faults           D1 is away for ten minutes each day; minutes are left out, doubled or late; the clock jumps;
                     messages come twice; sessions do not answer
  --json             Print one line of JSON
  --help             Show this`;

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      agents: { type: "string", default: "2000" },
      days: { type: "string", default: "7" },
      every: { type: "string", default: "30m" },
      empty: { type: "string", default: "0" },
      faults: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const agents = whole("agents", values.agents);
  const days = whole("days", values.days);
  const folder = await mkdtemp(join(tmpdir(), "isopod-schedule-"));
  try {
    const miniflare = await open(folder, {
      ISOPOD_CONFIG: JSON.stringify(configuration(agents, values.every)),
      FAULTS: String(values.faults),
      EMPTY_SHARE: values.empty,
    });
    try {
      await simulate(miniflare, days, values.faults);
      const report = (await (await miniflare.dispatchFetch("http://simulation/")).json()) as WorldReport;
      const result = resultOf(report, { start: START, days, agents, everyMs: parseDuration(values.every) ?? 0 });
      console.log(values.json ? JSON.stringify(result) : result);
      if (result.missed + result.doubled > 0) process.exitCode = 1;
    } finally {
      await miniflare.dispose();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function configuration(agents: number, every: string) {
  const heartbeat = { every, target: "none" };
  return {
    agents: {
      list: Array.from({ length: agents }, (_, n) => ({ id: `a${n}`, heartbeat, ...(n === 0 && { default: true }) })),
    },
  };
}

async function simulate(miniflare: Miniflare, days: number, hasFaults: boolean): Promise<void> {
  const count = days * 24 * 60 + QUIET_MINUTES;
  for (let minute = 0; minute <= count; minute += MINUTES_AT_ONCE) {
    const minutes = Array.from({ length: Math.min(MINUTES_AT_ONCE, count - minute + 1) }, (_, n) => ({
      at: START + (minute + n) * MINUTE_MS,
      fate: hasFaults && minute + n < count - QUIET_MINUTES ? fateOf(minute + n) : ("once" as const),
    }));
    const body = JSON.stringify({ minutes } satisfies Minutes);
    const answer = await miniflare.dispatchFetch("http://simulation/", { method: "POST", body });
    if (!answer.ok) throw new Problem(`The simulation failed: ${await answer.text()}`);
    await answer.text();
  }
}

/** D1 is away at 13:07 for ten minutes, and on the second day the clock jumps from 03:00 to 04:30. */
function fateOf(minute: number): Fate {
  const ofDay = minute % 1440;
  if (ofDay >= 787 && ofDay < 797) return "away";
  if (minute >= 1440 + 180 && minute < 1440 + 270) return "never";
  if (minute % 97 === 5) return "never";
  if (minute % 53 === 7) return "twice";
  return minute % 71 === 9 ? "late" : "once";
}

async function open(folder: string, variables: Record<string, string>): Promise<Miniflare> {
  const bundle = join(folder, "bundle");
  await bundleWorker(bundle, { config: CONFIG });
  const { workerOptions } = unstable_getMiniflareWorkerOptions(CONFIG);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      cf: false,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: () => undefined,
      workers: [
        {
          ...workerOptions,
          name: "isopod-schedule-simulation",
          modulesRoot: bundle,
          modules: await modulesIn(bundle),
          bindings: variables,
        },
      ],
    }),
  );
  await miniflare.ready;
  await migrate(miniflare, "DB", "migrations/d1");
  return miniflare;
}

function whole(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Problem(`--${name}: '${text}' is no whole number above 0.`);
  return Number(text);
}

await runCommand(run);
