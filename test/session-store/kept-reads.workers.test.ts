import { env, runInDurableObject } from "cloudflare:test";
import { lte } from "drizzle-orm";
import { expect, test } from "vitest";
import { saveCompaction } from "../../src/session-store/compactions.ts";
import { readView } from "../../src/session-store/conversation-view.ts";
import { EventLog } from "../../src/session-store/event-log.ts";
import { Fence } from "../../src/session-store/fence.ts";
import {
  closeRun,
  findRun,
  insertRun,
  openRuns,
  type RunRow,
  releaseKey,
  saveInput,
  saveStarted,
  saveState,
} from "../../src/session-store/runs.ts";
import { messages, runs } from "../../src/session-store/schema.ts";
import { createSessionRow, readSessionRow, savePruned } from "../../src/session-store/session-row.ts";
import { openStore, type Store, updateTables } from "../../src/session-store/store.ts";

/** Numbers from 0 to 1, the same in every run ("mulberry32"). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function inSession(name: string, work: (state: DurableObjectState, store: Store, log: EventLog, fence: Fence) => void) {
  return runInDurableObject(env.SESSIONS.getByName(`kept-${name}`), (_, state) => {
    const store = openStore(state);
    updateTables(state, store);
    const log = new EventLog(store, 1);
    const fence = new Fence(state.storage, store, log);
    const initial = { key: "agent:main:main", agentId: "main", settings: {}, location: "caller" as const, now: 1 };
    fence.write(() => createSessionRow(store, log, initial));
    work(state, store, log, fence);
  });
}

function newRun(id: string, at: number): RunRow {
  const input = { text: `Do ${id}`, timeoutSeconds: 0 };
  const state = { status: "queued", behind: false } as const;
  const [idempotencyKey, mergeKey] = [`key-${id}`, "m"];
  return {
    ...{ id, idempotencyKey, mergeKey, input, state, inputDigest: null, open: true, target: null },
    ...{ acceptedAt: at, firstSeq: at },
  };
}

const PRUNING = { softTrim: { maxChars: 60, headChars: 20, tailChars: 20 } };

test("what an object keeps of its database equals the database, whatever is written, rolled back or deleted", async () => {
  await inSession("equal", (state, store, log, fence) => {
    const random = seeded(20261123);
    const below = (limit: number) => Math.floor(random() * limit);
    const ids: string[] = [];
    const someId = () => ids[below(ids.length)] ?? "none";
    const actions: (() => void)[] = [
      () => {
        const id = `run_${ids.length}`;
        ids.push(id);
        insertRun(store, newRun(id, log.lastSeq + 1));
      },
      () => saveState(store, someId(), { status: "queued", behind: true }),
      () => saveInput(store, someId(), { text: `Other ${below(9)}`, timeoutSeconds: 1 }),
      () => {
        const run = findRun(store, someId());
        if (run) saveStarted(store, run.id, { ...run.state });
      },
      () => closeRun(store, someId(), { status: "dropped", reason: "interrupted", endedAt: 1, endSeq: 1 }),
      () => releaseKey(store, `key-${someId()}`, log.lastSeq),
      () => void log.append(someId(), { role: "user", id: `msg_${log.lastSeq}`, at: 5, text: "多".repeat(below(400)) }),
      () => {
        const callId = `call_${log.lastSeq}`;
        const part = { type: "tool-call", callId, tool: "read", args: { path: "a", unset: undefined } } as const;
        const usage = { input: below(5000), output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
        const reply = {
          role: "assistant",
          id: `msg_${callId}`,
          at: 6,
          model: "a/b",
          stop: "tool-calls",
          usage,
        } as const;
        log.append("run_0", { ...reply, parts: [JSON.parse(JSON.stringify(part))] });
        const result = { role: "tool", id: `msg_r${callId}`, at: 7, callId, tool: "read", isError: false } as const;
        log.append("run_0", { ...result, text: "line\n".repeat(below(60_000)) });
      },
      () => savePruned(store, below(log.lastSeq + 1), log.lastSeq),
      () => {
        const summary = { summary: `Until ${log.lastSeq}`, at: 1, tokensBefore: 2, tokensAfter: 1, reason: "command" };
        const seq = log.take();
        saveCompaction(store, "run_0", { seq, keptSeq: Math.max(1, seq - below(9)), compaction: summary as never });
      },
      () =>
        void store
          .delete(messages)
          .where(lte(messages.seq, below(log.lastSeq)))
          .run(),
      () =>
        void store
          .delete(runs)
          .where(lte(runs.firstSeq, below(log.lastSeq) / 3))
          .run(),
    ];
    const weights = [3, 3, 1, 2, 2, 1, 9, 4, 1, 0.4, 0.2, 0.2];
    const lots = actions.flatMap((action, at) => Array.from({ length: 10 * (weights[at] ?? 0) }, () => action));
    for (let step = 0; step < 700; step++) {
      const isFailing = random() < 0.1;
      const write = () =>
        fence.write(() => {
          for (let n = 0; n <= below(3); n++) lots[below(lots.length)]?.();
          if (isFailing) throw new Error("rolled back");
        });
      if (isFailing) expect(write).toThrow("rolled back");
      else write();
      const cold = openStore(state);
      expect(openRuns(store)).toEqual(openRuns(cold));
      const id = someId();
      expect(findRun(store, id)).toEqual(findRun(cold, id));
      expect(readSessionRow(store)).toEqual(readSessionRow(cold));
      if (step % 5 > 0) continue;
      const extent = readSessionRow(cold);
      if (extent === undefined) throw new Error("There is no session.");
      const options = random() < 0.3 ? { pruning: PRUNING as never } : {};
      expect(readView(store, extent, options)).toEqual(readView(cold, extent, options));
    }
    expect(ids.length).toBeGreaterThan(50);
  });
});

test("a conversation of 1,000 messages is read once, and then not at all", async () => {
  await inSession("once", (state, _, log, fence) => {
    fence.write(() => {
      for (let n = 0; n < 1000; n++) log.append("run_1", { role: "user", id: `msg_${n}`, at: n, text: `Message ${n}` });
    });
    const next = openStore(state);
    const extent = readSessionRow(next);
    if (extent === undefined) throw new Error("There is no session.");
    let statements = 0;
    const { sql } = state.storage;
    const exec = sql.exec.bind(sql);
    Object.assign(sql, {
      exec: (...args: Parameters<typeof exec>) => {
        statements++;
        return exec(...args);
      },
    });
    expect(readView(next, extent).messages).toHaveLength(1000);
    expect(statements).toBeGreaterThan(10);
    statements = 0;
    expect(readView(next, extent).messages).toHaveLength(1000);
    expect(statements).toBe(0);
  });
});
