import { expect, test } from "vitest";
import { asked, finished, say, script } from "./client.ts";
import { asks, compactionsIn, dumps, keepShort, lived, requestsOf, says, words } from "./context-lab.ts";
import { armWithDump, evict, session, sql } from "./session-lab.ts";

const CUT = "characters of this older result are left out here";

function dumped(turns: number, tokens: number): object[] {
  const turn = (n: number) => [asks(`Dump ${n}`), ...dumps(`call_${n}`, `Result ${n}: ${words(tokens)}`), says("Ok.")];
  return Array.from({ length: turns }, (_, n) => turn(n)).flat();
}

async function prunedSeqOf(name: string): Promise<number> {
  return (await sql<{ pruned_seq: number }>(name, "select pruned_seq from session"))[0]!.pruned_seq;
}

test("old results are shortened in steps, and between two steps a request begins with the bytes of the one before", async () => {
  const name = "medium-50";
  await keepShort(name);
  let runs = 0;
  await armWithDump(name, () => `Result ${++runs}: ${words(1300)}`);
  const turns = 20;
  await script(
    name,
    Array.from({ length: turns }, () => [{ calls: [{ name: "dump", args: {} }] }, { text: "Seen." }]).flat(),
  );
  const steps: number[] = [];
  for (let n = 0; n < turns; n++) {
    await finished((await say(`Dump ${n}`, name, session(name))).runId);
    steps.push(await prunedSeqOf(name));
  }
  const requests = (await requestsOf(name)).map((request) => request.slice(1));
  const breaks = requests.filter((request, n) => {
    const before = requests[n - 1] ?? [];
    return JSON.stringify(request.slice(0, before.length)) !== JSON.stringify(before);
  });
  const moved = new Set(steps.filter((seq) => seq > 0));
  expect(moved.size).toBeGreaterThan(1);
  expect(moved.size).toBeLessThanOrEqual(5);
  expect(breaks).toHaveLength(moved.size);
  const last = requests.at(-1)!;
  expect(last.filter((text) => text.includes(CUT)).length).toBeGreaterThan(3);
  // Those of the newest replies are whole.
  expect(last.filter((text) => text.startsWith("Result")).at(-1)).not.toContain(CUT);
  expect(await sql(name, "select 1 from compactions")).toEqual([]);
});

test("a shortened result says where the whole of it is, and there it can be read", async () => {
  const name = "small-51";
  await lived(name, dumped(6, 1500));
  await keepShort(name);
  await script(name, [{ text: "Seen." }]);
  const { runId } = await say("Now?", name, session(name));
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  expect(await compactionsIn(runId)).toEqual([]);
  const result = (await requestsOf(name)).at(-1)!.find((text) => text.startsWith("Result 0"))!;
  expect(result.length).toBeLessThan(3500);
  const path = /`?(\.openclaw\/results\/[\w.]+\.txt)`?/.exec(result)![1]!;
  await script(name, [{ calls: [{ name: "read", args: { path } }] }, { text: "Read." }]);
  await finished((await say("Read it", name, session(name))).runId);
  const { messages } = (await asked(name)).at(-1)!.body;
  expect(messages.at(-1).content.match(/word/g).length).toBe(1500);
});

test("tool results are not shortened where pruning is off, nor while there is room", async () => {
  await lived("small-52", dumped(6, 1500));
  await keepShort("small-52", {}, { contextPruning: { mode: "off" } });
  await script("small-52", [{ text: "Summary." }, { text: "Seen." }]);
  const { runId } = await say("Now?", "small-52", session("small-52"));
  await finished(runId);
  expect((await compactionsIn(runId)).map(({ phase }) => phase)).toEqual(["start", "end"]);

  await lived("roomy", dumped(6, 1500));
  await script("roomy", [{ text: "Seen." }]);
  await finished((await say("Now?", "roomy", session("roomy"))).runId);
  expect((await requestsOf("roomy")).join()).not.toContain(CUT);
});

test("a change of the pruning settings also applies to results that were shortened before", async () => {
  const name = "small-53";
  await lived(name, dumped(6, 1500));
  await keepShort(name);
  await script(name, [{ text: "Seen." }]);
  await finished((await say("Now?", name, session(name))).runId);
  await evict(name);
  await keepShort(name, {}, { contextPruning: { headChars: 100, tailChars: 100 } });
  await finished((await say("And now?", name, session(name))).runId);
  const results = (await requestsOf(name)).at(-1)!.filter((text) => text.includes(CUT));
  expect(Math.max(...results.map((text) => text.length))).toBeLessThan(500);
});
