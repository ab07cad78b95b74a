import { openDoor, type Send, type TimedAnswer } from "../eval/memory-door.ts";
import type { MemorySet, Question } from "../eval/memory-folder.ts";
import { indexSet, type Say } from "../eval/memory-run.ts";
import { recallOf } from "../eval/memory-score.ts";
import type { DatabaseCounts } from "./counted-database.ts";
import { writeNotes } from "./notes.ts";
import { type Memory, memoryOf } from "./processes.ts";
import { type Running, type Stage, TOKEN } from "./stage.ts";
import { quantile, rounded, type Spread, spread } from "./statistics.ts";

const STATE = "memory";
const AGENT = "notes";
const QUESTIONS = 100;
const WARM_UP = 10;
const EMBEDDINGS = ["none", "local"] as const;

/** The cost of searches with one setting of `memorySearch.provider`. */
export interface SearchCost {
  /** Above 10,000 chunks there are no vectors without Vectorize, and words alone answer. */
  mode: TimedAnswer["mode"];
  /** From the first upload, or from the change of the provider, to a complete index. */
  indexMs: number;
  rowsWrittenPerChunk: number;
  /** The first search of an isolate. */
  firstMs: number;
  searchMs: Spread;
  /** FTS5 alone with the same expression, through the same Worker, on the same database. */
  bareMs: Spread;
  /** Of the medians. */
  ratio: number;
  /** As reported by D1. */
  rowsRead: Spread;
  /** Chunks that match the expression: FTS5 reads them all, whatever D1 reports. */
  matches: Spread & { max: number };
  /** Requests to D1. */
  roundTrips: number;
  /** Questions whose line was among six hits, in percent. */
  found: number;
  memory: Memory | undefined;
}

/** The cost of searching a large memory. */
export interface SearchFindings {
  chunks: number;
  files: number;
  none: SearchCost;
  local: SearchCost;
}

/** Indexes generated notes of about `chunks` chunks for one agent and searches them: with words only, then with the provider `local`. */
export async function measureSearch(stage: Stage, chunks: number, say: Say): Promise<SearchFindings> {
  const notes = writeNotes(chunks, QUESTIONS);
  const costs: Partial<Record<(typeof EMBEDDINGS)[number], SearchCost>> = {};
  let indexed = 0;
  for (const provider of EMBEDDINGS) {
    const agents = { defaults: { memorySearch: { provider } }, list: [{ id: AGENT }] };
    const isopod = await stage.isopodWorker("test/bench/search-worker.ts", { agents }, STATE);
    await stage.reachable(isopod);
    // The second time only the vectors are missing.
    const missing = provider === "none" ? notes : { ...notes, files: new Map<string, string>() };
    const lab = new SearchLab(isopod, notes, say);
    await lab.count(true);
    const indexMs = await indexSet(lab.door, missing, say);
    const { rowsWritten } = await lab.count(false);
    indexed = (await lab.door.status()).chunks;
    costs[provider] = {
      indexMs: Math.round(indexMs),
      rowsWrittenPerChunk: rounded(rowsWritten / indexed),
      ...(await lab.search()),
    };
    await isopod.stop();
  }
  const { none, local } = costs;
  if (none === undefined || local === undefined) throw new Error("Nothing was measured.");
  return { chunks: indexed, files: notes.files.size, none, local };
}

/** What one search read from D1. */
interface Counted extends Pick<DatabaseCounts, "rowsRead" | "roundTrips"> {
  expression: string;
  matches: number;
}

/** Searches a running Isopod. */
class SearchLab {
  readonly door;
  readonly #isopod: Running;
  readonly #notes: MemorySet;
  readonly #say: Say;

  constructor(isopod: Running, notes: MemorySet, say: Say) {
    this.#isopod = isopod;
    this.#notes = notes;
    this.#say = say;
    this.door = openDoor(this.#send, AGENT);
  }

  /** Starts or stops counting and returns the counts so far. */
  count(on: boolean): Promise<DatabaseCounts> {
    return this.#ask("/bench/count", { on }) as Promise<DatabaseCounts>;
  }

  async search(): Promise<Omit<SearchCost, "indexMs" | "rowsWrittenPerChunk">> {
    const [first, ...others] = this.#notes.questions;
    if (first === undefined) throw new Error("There are no questions.");
    const {
      ms: firstMs,
      answer: { mode },
    } = await this.#timed(first);
    for (const question of others.slice(0, WARM_UP)) await this.#timed(question);
    const memory = this.#isopod.pid === undefined ? undefined : await memoryOf(this.#isopod.pid);
    this.#say("Counting what searches read");
    const counted: Counted[] = [];
    for (const question of this.#notes.questions) counted.push(await this.#counted(question));
    this.#say("Searching, and searching with FTS5 alone");
    const own: number[] = [];
    const bare: number[] = [];
    let found = 0;
    for (const [index, question] of this.#notes.questions.entries()) {
      const { ms, answer } = await this.#timed(question);
      own.push(ms);
      found += recallOf(question, answer.results);
      const expression = counted[index]?.expression ?? "";
      const startedAt = performance.now();
      await this.#ask("/bench/bare", { expression });
      bare.push(performance.now() - startedAt);
    }
    const matches = counted.map((one) => one.matches);
    return {
      mode,
      firstMs: rounded(firstMs),
      searchMs: spread(own),
      bareMs: spread(bare),
      ratio: rounded(quantile(own, 0.5) / quantile(bare, 0.5)),
      rowsRead: spread(counted.map(({ rowsRead }) => rowsRead)),
      matches: { ...spread(matches), max: Math.max(...matches) },
      roundTrips: quantile(
        counted.map(({ roundTrips }) => roundTrips),
        0.5,
      ),
      found: rounded((100 * found) / this.#notes.questions.length),
      memory,
    };
  }

  async #timed({ query }: Question): Promise<{ ms: number; answer: TimedAnswer }> {
    const startedAt = performance.now();
    const answer = await this.door.search(query, 6);
    return { ms: performance.now() - startedAt, answer };
  }

  async #counted(question: Question): Promise<Counted> {
    await this.count(true);
    await this.#timed(question);
    const counts = await this.count(false);
    const [match] = counts.matches;
    if (match === undefined) throw new Error(`'${question.query}' was not looked for in FTS5.`);
    const { expression, newest } = match;
    const [row] = (await this.#ask("/bench/matches", { expression })) as { matches: number }[];
    const all = row?.matches ?? 0;
    // They are read twice: to find the newest and to rank them.
    const matches = newest === undefined ? all : Math.min(all, 2 * newest);
    return { rowsRead: counts.rowsRead, roundTrips: counts.roundTrips, expression, matches };
  }

  async #ask(path: string, body: unknown): Promise<unknown> {
    const response = await this.#send("POST", path, body);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  readonly #send: Send = (method, path, body) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const content = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(this.#isopod.url + path, { method, headers, ...(body !== undefined && { body: content }) });
  };
}
