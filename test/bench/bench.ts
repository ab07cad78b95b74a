import { parseArgs } from "node:util";
import { type Contender, floorContender, isopodContender } from "./contenders.ts";
import { countTurns } from "./count.ts";
import { runParallel, runSequential } from "./load.ts";
import { memoryOf } from "./memory.ts";
import { measurePrompt } from "./prompt.ts";
import { type Findings, jsonReport, textReport } from "./report.ts";
import { countSkills, measureGate } from "./skills.ts";
import { modelConfig, type Running, Stage, TOKEN } from "./stage.ts";

const USAGE = `Usage: npm run bench -- [options]

  --json   End with one line of JSON
  --help   Show this`;
const LONGEST_MS = 115_000;

/** Measures what a turn costs, beside the least that it could cost, and prints it. */
async function bench(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.help) return console.log(USAGE);
  // Before anything else is at work beside it.
  const prompt = measurePrompt();
  const gate = measureGate();
  const stage = await Stage.open();
  const stopped = stage.closeOnSignal();
  const deadline = setTimeout(() => giveUp(stage), LONGEST_MS);
  try {
    const findings = { ...(await measure(stage)), prompt, gate };
    console.log(textReport(findings));
    if (values.json) console.log(JSON.stringify(jsonReport(findings)));
  } catch (error) {
    if (!stopped()) throw error;
    process.exitCode = 130;
  } finally {
    clearTimeout(deadline);
    await stage.close();
  }
}

async function measure(stage: Stage): Promise<Omit<Findings, "prompt" | "gate">> {
  say("Starting a model server, Isopod and the floors");
  const models = await stage.modelServer();
  const first = await startedWithin(stage, models);
  const floors = await stage.floors(models.url);
  await stage.reachable(floors);
  const contenders: Contender[] = [
    isopodContender(first.isopod.url, TOKEN),
    floorContender("floor", floors.url),
    floorContender("durableFloor", floors.url),
  ];
  const idle = await memory(first.isopod);
  say("One session, one turn after the other");
  const sequential = await runSequential(contenders, models.url);
  say("Many sessions at once");
  const parallel = await runParallel(contenders);
  const afterLoad = await memory(first.isopod);
  await Promise.all([first.isopod.stop(), floors.stop()]);

  say("Starting cold");
  const second = await startedWithin(stage, models);
  await second.isopod.stop();
  say("Counting storage operations");
  const { counted, skills } = await counts(stage);
  say("Building the bundle");
  const bundleKiB = await bundleSize(stage);
  return {
    sequential,
    parallel,
    counted,
    skills,
    bundleKiB,
    idle,
    afterLoad,
    firstStartMs: first.elapsedMs,
    coldStartMs: second.elapsedMs,
  };
}

/** Starts Isopod and has one turn; `elapsedMs` is from the start of the process to the end of that turn. */
async function startedWithin(stage: Stage, models: Running): Promise<{ isopod: Running; elapsedMs: number }> {
  const startedAt = performance.now();
  const isopod = await stage.isopod(modelConfig(models.url));
  await stage.reachable(isopod);
  await isopodContender(isopod.url, TOKEN).turn("cold");
  return { isopod, elapsedMs: performance.now() - startedAt };
}

async function counts(stage: Stage) {
  const counting = await stage.counting();
  await stage.reachable(counting);
  const counted = await countTurns(counting.url, TOKEN);
  const skills = await countSkills(counting.url, TOKEN);
  await counting.stop();
  return { counted, skills };
}

/** The compressed size of what `wrangler deploy` would upload, in KiB, as wrangler reckons it. */
async function bundleSize(stage: Stage): Promise<number> {
  const said = await stage.wrangler("deploy", "--dry-run", "--outdir", stage.path("bundle"));
  const size = /gzip: ([\d.]+) KiB/.exec(said)?.[1];
  if (size === undefined) throw new Error(`wrangler told no size:\n${said}`);
  return Number(size);
}

async function memory(running: Running) {
  return running.pid === undefined ? undefined : memoryOf(running.pid);
}

function giveUp(stage: Stage): void {
  console.error(`The bench took more than ${LONGEST_MS / 1000} s and was ended.`);
  void stage.close();
}

function say(what: string): void {
  console.error(`${what} …`);
}

await bench();
