import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryStatus } from "../../src/memory/agent-memory.ts";
import type { MemoryDoor } from "./memory-door.ts";
import type { MemorySet } from "./memory-folder.ts";
import { charsOf, faultOf, recallOf, type Scored, type ScoredWords, type Shown } from "./memory-score.ts";

const UPLOADS_AT_ONCE = 6;
const POLL_MS = 250;
/** An index at which nothing changes for so long is not waited for. */
const STALLED_MS = 120_000;
const SAY_EVERY = 200;

/** Tells a person how far it is. */
export type Say = (what: string) => void;

/** Uploads the notes of a set and waits until all of them can be searched. Gives how long that took after the first upload. */
export async function indexSet(door: MemoryDoor, set: MemorySet, say: Say): Promise<number> {
  const files = set.files.entries();
  let startedAt: number | undefined;
  const upload = async () => {
    for (const [path, text] of files) {
      await door.put(path, text);
      startedAt ??= performance.now();
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, upload));
  startedAt ??= performance.now();
  await door.index();
  const { chunks, vectors } = await whole(door, set, say);
  const tookMs = performance.now() - startedAt;
  const made = vectors.ready === null ? "no vectors" : `vectors of ${vectors.ready.space}`;
  say(`${set.name}: ${set.files.size} files, ${chunks} chunks, ${made}, ${(tookMs / 1000).toFixed(1)} s`);
  return tookMs;
}

/** Asks every question of a set, one after the other. @throws Error where a snippet is not what it says */
export async function askQuestions(door: MemoryDoor, set: MemorySet, say: Say): Promise<Scored[]> {
  const scored: Scored[] = [];
  for (const question of set.questions) {
    const startedAt = performance.now();
    const six = await search(door, set, question.query, 6);
    const requestMs = performance.now() - startedAt;
    const ten = await search(door, set, question.query, 10);
    scored.push({
      set: set.name,
      question,
      at6: recallOf(question, six.shown),
      at10: recallOf(question, ten.shown),
      charsAt6: charsOf(six.shown),
      requestMs,
      tookMs: six.tookMs,
      degraded: six.degraded,
      shown: six.shown,
    });
    if (scored.length % SAY_EVERY === 0) say(`${set.name}: ${scored.length} of ${set.questions.length} questions`);
  }
  return scored;
}

/** Searches for every word of a set by itself; one is found where a snippet has it. */
export async function askWords(door: MemoryDoor, set: MemorySet): Promise<ScoredWords[]> {
  const lists: ScoredWords[] = [];
  for (const [list, words] of set.words) {
    const missed: string[] = [];
    for (const word of words) {
      const { shown } = await search(door, set, word, 6);
      if (!shown.some(({ snippet }) => snippet.includes(word))) missed.push(word);
    }
    lists.push({ set: set.name, list, words: words.length, missed });
  }
  return lists;
}

async function search(door: MemoryDoor, set: MemorySet, query: string, count: number) {
  const { results, tookMs, degraded } = await door.search(query, count);
  if (results.length > count) throw new Error(`'${query}' has ${results.length} results, where ${count} were wanted.`);
  const fault = results.map((one) => faultOf(one, set)).find((one) => one !== undefined);
  if (fault !== undefined) throw new Error(`'${query}' was shown what is not there. ${fault}`);
  const shown: Shown[] = results;
  return { shown, tookMs, degraded: degraded?.message };
}

/** Waits for an index that has everything. */
async function whole(door: MemoryDoor, set: MemorySet, say: Say): Promise<MemoryStatus> {
  let last = "";
  let changedAt = Date.now();
  for (;;) {
    const status = await door.status();
    if (isWhole(status, set.files.size)) return status;
    const { files, chunks, pending, busy, vectors, failure } = status;
    const now = JSON.stringify({ files, chunks, pending, vectors });
    if (now !== last) {
      changedAt = Date.now();
      if (last !== "")
        say(
          `${set.name}: ${files} files, ${chunks} chunks and ${vectors.ready?.vectors ?? vectors.building?.vectors ?? 0} vectors so far`,
        );
    }
    last = now;
    if (Date.now() - changedAt > STALLED_MS) {
      throw new Error(
        `The index of ${set.name} is not ready, and nothing happens: ${now}, busy: ${busy}. ${failure?.message ?? ""}`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** Whether the index is complete: every file is there, and every chunk has a vector unless there are to be none. */
export function isWhole({ files, chunks, pending, busy, embedder, vectors }: MemoryStatus, expected: number): boolean {
  const { ready, building, unavailable } = vectors;
  const areVectorsWhole =
    embedder.provider === null ||
    unavailable !== undefined ||
    (ready !== null && ready.vectors >= chunks && building === null);
  return files >= expected && pending === 0 && !busy && areVectorsWhole;
}
