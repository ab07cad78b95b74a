import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { carryOut } from "./campaign.ts";
import { type Breach, breachesIn } from "./check.ts";
import { deliveryBreachesIn } from "./check-deliveries.ts";
import { requestBreachesIn } from "./check-requests.ts";
import { slotBreachesIn } from "./check-slots.ts";
import type { Evidence } from "./evidence.ts";
import { Faults } from "./faults.ts";
import { drawPlan } from "./plan.ts";
import { sessionReport, summaryOf } from "./report.ts";
import { Stage } from "./stage.ts";

const USAGE = `Usage: npm run torture -- [options]

  --runs <number>    Messages to send (default: 200)
  --kills <number>   How often to kill (default: 50)
  --faults <number>  How many requests to the model and the platforms go wrong, at most (default: 30)
  --seed <number>    What is drawn depends on it (default: 1)
  --json             End with one line of JSON
  --keep             Leave the state and the logs behind, and say where
  --help             Show this`;

/** Of fewer kills, chance alone decides how many fall inside a step. */
const MANY_KILLS = 20;

/** Sends messages, kills Isopod while it works on them, and holds it to its promises. */
async function torture(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "200" },
      kills: { type: "string", default: "50" },
      faults: { type: "string", default: "30" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const [runs, kills, seed] = [whole(values.runs), whole(values.kills), whole(values.seed)];
  const plan = drawPlan(seed, runs, kills);
  const folder = await mkdtemp(join(tmpdir(), "isopod-torture-"));
  const stage = await Stage.open(
    folder,
    plan.sessions.flatMap(({ chat = [] }) => chat),
    new Faults(seed, whole(values.faults)),
  );
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(name, () => void stage.close().then(() => process.exit(130)));
  }
  try {
    const startedAt = Date.now();
    const evidence = await carryOut(stage, plan, kills, seed);
    const breaches = [
      ...breachesIn(evidence),
      ...deliveryBreachesIn(evidence),
      ...requestBreachesIn(evidence),
      ...slotBreachesIn(evidence.beats),
      ...evidence.deletion,
    ];
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    const summary = summaryOf(evidence, breaches, { runs, seed, seconds });
    const shortcomings = [
      ...(summary.insideShare < 0.6 && kills >= MANY_KILLS ? ["Fewer than 60 % of the kills fell inside a step."] : []),
      ...(summary.moves === 0 ? ["No session was moved."] : []),
      ...(summary.resumed === 0 && kills > 0 ? ["No run was resumed."] : []),
    ];
    printBreaches(breaches, evidence);
    for (const shortcoming of shortcomings) console.log(shortcoming);
    console.log(values.json ? JSON.stringify(summary) : summary);
    if (breaches.length + shortcomings.length > 0) process.exitCode = 1;
  } finally {
    await stage.close();
    if (values.keep) console.error(`The state and the logs are in ${folder}`);
    else await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function printBreaches(breaches: readonly Breach[], evidence: Evidence): void {
  for (const { kind, session, runId, what } of breaches) console.log(`${kind}: ${session} ${runId ?? ""} ${what}`);
  for (const session of evidence.sessions) {
    if (breaches.some((breach) => breach.session === session.session.key))
      console.log(sessionReport(session, evidence));
  }
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`'${text}' is no whole number.`);
  return Number(text);
}

await torture();
