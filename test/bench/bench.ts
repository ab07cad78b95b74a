import { parseArgs } from "node:util";
import { Problem, runCommand } from "../../src/cli/problem.ts";
import { measureAgents } from "./agents.ts";
import { type Contender, floorContender, isopodContender } from "./contenders.ts";
import { countTurns } from "./count.ts";
import { runParallel, runSequential } from "./load.ts";
import { memoryOf } from "./memory.ts";
import { measurePrompt } from "./prompt.ts";
import { type Findings, jsonReport, textReport } from "./report.ts";
import { measureSearch } from "./search.ts";
import { searchReport } from "./search-report.ts";
import { countSkills, measureGate } from "./skills.ts";
import { modelConfig, type Running, Stage, TOKEN } from "./stage.ts";

const CHUNKS = 10_000;
const USAGE = `Usage: npm run bench -- [memory] [options]

  memory           Only what searching a large memory costs
  --chunks <n>     How large that memory is (default: ${CHUNKS})
  --json           End with one line of JSON
  --help           Show this`;
/** Longest that all of it takes; a large memory takes longer. */
const LONGEST_MS = 600_000;
const LONGEST_PER_CHUNK_MS = 30;

/** Measures what a turn costs, beside the least that it could cost, and what a search of a large memory costs; and prints it. */
async function bench(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      chunks: { type: "string", default: String(CHUNKS) },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const chunks = Number(values.chunks);
  const isUnderstood = Number.isInteger(chunks) && chunks > 0 && positionals.every((part) => part === "memory");
  if (!isUnderstood) throw new Problem(USAGE);
  const stage = await Stage.open();
  const stopped = stage.closeOnSignal();
  const longestMs = LONGEST_MS + Math.max(0, chunks - CHUNKS) * LONGEST_PER_CHUNK_MS;
  const deadline = setTimeout(() => giveUp(stage, longestMs), longestMs);
  try {
    const { text, json } = positionals.length === 0 ? await whole(stage, chunks) : await searchOnly(stage, chunks);
    console.log(text);
    if (values.json) console.log(JSON.stringify(json));
  } catch (error) {
    if (!stopped()) throw error;
    process.exitCode = 130;
  } finally {
    clearTimeout(deadline);
    await stage.close();
  }
}

/** What was measured, for people and for programs. */
interface Reports {
  text: string;
  json: object;
}

async function whole(stage: Stage, chunks: number): Promise<Reports> {
  // Before anything else is at work beside it.
  const prompt = measurePrompt();
  const gate = measureGate();
  const agents = measureAgents();
  const turns = { ...(await measure(stage)), prompt, gate, agents };
  const { text, json } = await searchOnly(stage, chunks);
  return { text: `${textReport(turns)}\n\n${text}`, json: { ...jsonReport(turns), ...json } };
}

async function searchOnly(stage: Stage, chunks: number): Promise<Reports> {
  const search = await measureSearch(stage, chunks, say);
  return { text: searchReport(search), json: { search } };
}

async function measure(stage: Stage): Promise<Omit<Findings, "prompt" | "gate" | "agents">> {
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

function giveUp(stage: Stage, longestMs: number): void {
  console.error(`The bench took more than ${longestMs / 1000} s and was ended.`);
  void stage.close();
}

function say(what: string): void {
  console.error(`${what} …`);
}

await runCommand(bench);
