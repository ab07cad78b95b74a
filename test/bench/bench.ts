import { parseArgs } from "node:util";
import { Problem, runCommand } from "../../src/cli/problem.ts";
import { measureAgents } from "./agents.ts";
import { type Contender, floorContender, isopodContender } from "./contenders.ts";
import { countTurns } from "./count.ts";
import { type DeltaCost, runDeltas } from "./deltas.ts";
import { measureInterfaces } from "./interfaces.ts";
import { measureLabels } from "./labels.ts";
import { runParallel, runSequential } from "./load.ts";
import { type Plan, SMOKE, WHOLE } from "./plan.ts";
import { memoryOf, workerdOf } from "./processes.ts";
import { measurePrompt } from "./prompt.ts";
import { type Findings, jsonReport, textReport } from "./report.ts";
import { measureSearch } from "./search.ts";
import { searchReport } from "./search-report.ts";
import { runFirstTurns, runGrowth } from "./sessions.ts";
import { countSkills, measureGate } from "./skills.ts";
import { faultsIn } from "./smoke.ts";
import { modelConfig, type Running, Stage, TOKEN } from "./stage.ts";
import { measureStartUp } from "./start-up.ts";
import { markdownReport } from "./targets.ts";
import { measureWave } from "./wave.ts";
import { measureWebhooks } from "./webhooks.ts";

const CHUNKS = WHOLE.chunks;
const USAGE = `Usage: npm run bench -- [memory] [options]

  memory           Only what searching a large memory costs
  --only <part>    Only one part: memory, webhooks (acknowledging many at once), wave (people beside many heartbeats)
  --chunks <n>     How large that memory is (default: ${CHUNKS})
  --smoke          Few turns and a small memory: checks that every figure comes about, and the counts
  --markdown       Also print the figures that have a target as a table in Markdown
  --json           End with one line of JSON
  --help           Show this`;
/** Longest that all of it takes; a large memory takes longer. */
const LONGEST_MS = 600_000;
const LONGEST_PER_CHUNK_MS = 30;

/** Measures what a turn costs, beside the least that it could cost, and what a search of a large memory costs; and prints it. */
async function bench(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      only: { type: "string" },
      chunks: { type: "string" },
      smoke: { type: "boolean", default: false },
      markdown: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const plan = values.smoke ? SMOKE : WHOLE;
  const chunks = Number(values.chunks ?? plan.chunks);
  const part = values.only ?? positionals[0];
  const isUnderstood = Number.isInteger(chunks) && chunks > 0 && positionals.length < 2 && isPart(part);
  if (!isUnderstood) throw new Problem(USAGE);
  const stage = await Stage.open();
  const stopped = stage.closeOnSignal();
  const longestMs = LONGEST_MS + Math.max(0, chunks - CHUNKS) * LONGEST_PER_CHUNK_MS;
  const deadline = setTimeout(() => giveUp(stage, longestMs), longestMs);
  try {
    const { text, json, markdown } = await measured(stage, part, { ...plan, chunks });
    console.log(text);
    if (values.markdown && markdown !== undefined) console.log(`\n${markdown}`);
    if (values.json) console.log(JSON.stringify(json));
    const faults = values.smoke && part === undefined ? faultsIn(json) : [];
    if (faults.length > 0) throw new Problem(faults.join("\n"));
  } catch (error) {
    if (!stopped()) throw error;
    process.exitCode = 130;
  } finally {
    clearTimeout(deadline);
    await stage.close();
  }
}

const PARTS = ["memory", "webhooks", "wave"] as const;
type Part = (typeof PARTS)[number] | undefined;

function isPart(word: string | undefined): word is Part {
  return word === undefined || PARTS.some((part) => part === word);
}

async function measured(stage: Stage, part: Part, plan: Plan): Promise<Reports> {
  switch (part) {
    case undefined:
      return whole(stage, plan);
    case "memory":
      return searchOnly(stage, plan.chunks);
    case "webhooks": {
      const webhooks = await measureWebhooks(stage);
      const { isopod, floor, ratio, d1, r2 } = webhooks;
      const text = `Acknowledging webhooks: p95 ${isopod.p95} ms, floor ${floor.p95} ms, ${ratio}x; waits for ${d1} of D1, ${r2} of R2.`;
      return { text, json: { webhooks } };
    }
    case "wave": {
      const wave = await measureWave(stage);
      const text = `A person's turn: ${wave.rest.p50} ms at rest, ${wave.wave.p50} ms beside ${wave.beats} heartbeats, ${wave.ratio}x.`;
      return { text, json: { wave } };
    }
  }
}

/** What was measured, for people and for programs. */
interface Reports {
  text: string;
  markdown?: string;
  json: object;
}

async function whole(stage: Stage, plan: Plan): Promise<Reports> {
  // Before anything else is at work beside it.
  const prompt = measurePrompt();
  const gate = measureGate();
  const agents = measureAgents();
  const labels = measureLabels();
  const turns = { ...(await measure(stage, plan)), prompt, gate, agents, labels };
  const { text, json } = await searchOnly(stage, plan.chunks);
  const report = jsonReport(turns);
  return {
    text: `${textReport(turns, plan)}\n\n${text}`,
    markdown: markdownReport(report),
    json: { ...report, ...json },
  };
}

async function searchOnly(stage: Stage, chunks: number): Promise<Reports> {
  const search = await measureSearch(stage, chunks, say);
  return { text: searchReport(search), json: { search } };
}

async function measure(stage: Stage, plan: Plan): Promise<Omit<Findings, "prompt" | "gate" | "agents" | "labels">> {
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
  await floorContender("durableFloor", floors.url).turn("cold");
  const [idle, floorIdle] = [await memory(first.isopod), await memory(floors)];
  say("One session, one turn after the other");
  const sequential = await runSequential(contenders, models.url, plan.sequential);
  say("Many sessions at once");
  const parallel = await runParallel(contenders, models.url, plan.parallel);
  const afterLoad = await memory(first.isopod);
  say("First turns of new sessions");
  const firstTurn = await runFirstTurns(contenders, models.url, plan.firstTurns);
  say("Answers of many deltas");
  const deltas: Record<number, DeltaCost> = {};
  const workerd = first.isopod.pid === undefined ? undefined : await workerdOf(first.isopod.pid);
  for (const load of plan.deltas) deltas[load.deltas] = await runDeltas(contenders, models.url, load, workerd);
  say("Long answers over each interface");
  const interfaceCpuMs = await measureInterfaces(
    { url: first.isopod.url, token: TOKEN, modelServer: models.url, workerd },
    plan.interfaces,
  );
  say("Long transcripts");
  const growth = await runGrowth(isopodContender(first.isopod.url, TOKEN), models.url, plan.growth);
  await Promise.all([first.isopod.stop(), floors.stop()]);

  say("Starting cold");
  const second = await startedWithin(stage, models);
  await second.isopod.stop();
  say("Counting storage operations");
  const { counted, skills } = await counts(stage, plan.counted);
  say("Building the bundle and starting it");
  const startUp = await measureStartUp(stage, plan.startProfiles);
  return {
    sequential,
    parallel,
    deltas,
    interfaceCpuMs,
    growth,
    firstTurn,
    counted,
    skills,
    startUp,
    idle,
    floorIdle,
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

async function counts(stage: Stage, turns: number) {
  const counting = await stage.counting();
  await stage.reachable(counting);
  const counted = await countTurns(counting.url, TOKEN, turns);
  const skills = await countSkills(counting.url, TOKEN);
  await counting.stop();
  return { counted, skills };
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
