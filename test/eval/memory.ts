import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { parseArgs } from "node:util";
import { Problem, runCommand } from "../../src/cli/problem.ts";
import { isAgentId } from "../../src/config/session-key.ts";
import { Stage, TOKEN } from "../bench/stage.ts";
import { openDoor, type Send } from "./memory-door.ts";
import { isPart, type MemoryFolder, QUESTIONS_FILE, readFolder } from "./memory-folder.ts";
import { reportText } from "./memory-report.ts";
import { askQuestions, askWords, indexSet } from "./memory-run.ts";
import { reportOf, type Scored, type ScoredWords } from "./memory-score.ts";

const OWN_FOLDER = join(import.meta.dirname, "..", "fixtures", "memory-eval");
const EMBEDDINGS = ["none", "local"];
const USAGE = `Usage: npm run eval:memory -- [folder] [options]

  folder                 Has ${QUESTIONS_FILE} and <conv>/memory/**.md (default: a small one of our own)
  --embeddings <kind>    none or local (default: what Isopod chooses by itself)
  --agent <conv>         One conversation only
  --misses <file>        Where to write which evidence was not found, a line a question
  --json                 End with one line of JSON
  --help                 Show this`;

/** Asks the real Worker what notes say, and prints how much of what answers the questions it showed. */
async function evaluate(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      embeddings: { type: "string" },
      agent: { type: "string" },
      misses: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  if (positionals.length > 1) throw new Problem(`Name one folder.\n${USAGE}`);
  if (values.embeddings !== undefined && !EMBEDDINGS.includes(values.embeddings)) {
    throw new Problem(`--embeddings is ${EMBEDDINGS.join(" or ")}.`);
  }
  const folder = only(await load(positionals[0] ?? OWN_FOLDER), values.agent);
  const stage = await Stage.open();
  const stopped = stage.closeOnSignal();
  try {
    const { report, scored } = await measure(stage, folder, values.embeddings);
    if (values.misses !== undefined) await writeFile(values.misses, missesOf(scored));
    console.log(reportText(report, folder.withoutEvidence));
    if (values.json) console.log(JSON.stringify(report));
  } catch (error) {
    if (!stopped()) throw error;
    process.exitCode = 130;
  } finally {
    await stage.close();
  }
}

async function measure(stage: Stage, { sets }: MemoryFolder, embeddings: string | undefined) {
  say("Starting Isopod");
  const agents = new Map(sets.map((set, index) => [set, isAgentId(set.name) ? set.name : `set-${index + 1}`]));
  const memorySearch = embeddings === undefined ? {} : { provider: embeddings };
  const isopod = await stage.isopod({
    agents: { defaults: { memorySearch }, list: [...agents.values()].map((id) => ({ id })) },
  });
  await stage.reachable(isopod);
  const scored: Scored[] = [];
  const words: ScoredWords[] = [];
  let indexMs = 0;
  for (const [set, agentId] of agents) {
    const door = openDoor(sendTo(isopod.url), agentId);
    indexMs += await indexSet(door, set, say);
    scored.push(...(await askQuestions(door, set, say)));
    words.push(...(await askWords(door, set)));
  }
  return { report: reportOf(scored, words, indexMs), scored };
}

function sendTo(url: string): Send {
  return (method, path, body) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const content = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return fetch(url + path, { method, headers, ...(content !== undefined && { body: content }) });
  };
}

/** @throws Problem where the folder is not one to evaluate with */
async function load(folder: string): Promise<MemoryFolder> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .filter(isPart)
      .sort();
    const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), "utf8")));
    return readFolder(new Map(paths.map((path, index) => [path, texts[index] ?? ""])));
  } catch (error) {
    if (error instanceof Problem) throw new Problem(`${folder} cannot be evaluated with: ${error.message}\n${USAGE}`);
    if (error instanceof Error && "code" in error)
      throw new Problem(`${folder} cannot be read: ${error.message}\n${USAGE}`);
    throw error;
  }
}

function only(folder: MemoryFolder, name: string | undefined): MemoryFolder {
  const sets = folder.sets.filter((set) => name === undefined || set.name === name);
  const names = folder.sets.map((set) => set.name).join(", ");
  if (sets.length === 0) throw new Problem(`There is no conversation '${name}' in it. There are: ${names}.`);
  if (sets.every((set) => set.questions.length === 0)) throw new Problem("No question names evidence.");
  return { ...folder, sets };
}

function missesOf(scored: readonly Scored[]): string {
  const lines = scored
    .filter(({ at6 }) => at6 < 1)
    .map(({ set, question, at6, at10, shown }: Scored) => {
      const places = shown.map(({ path, startLine, endLine }) => `${path}#L${startLine}-L${endLine}`);
      return JSON.stringify({ set, ...question, at6, at10, shown: places });
    });
  return lines.map((line) => `${line}\n`).join("");
}

function say(what: string): void {
  console.error(what);
}

await runCommand(evaluate);
