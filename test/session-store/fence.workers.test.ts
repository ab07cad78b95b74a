import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { EventLog } from "../../src/session-store/event-log.ts";
import { Fence, Superseded } from "../../src/session-store/fence.ts";
import { createSessionRow, readSessionRow } from "../../src/session-store/session-row.ts";
import { openStore, updateTables } from "../../src/session-store/store.ts";

/** Opens a database the way every incarnation of its object does. */
function incarnation(ctx: DurableObjectState) {
  const store = openStore(ctx);
  updateTables(ctx, store);
  const log = new EventLog(store, readSessionRow(store)?.reservedSeq ?? 1);
  return { store, log, fence: new Fence(ctx.storage, store, log) };
}

function inObject(name: string, work: (ctx: DurableObjectState) => void): Promise<void> {
  return runInDurableObject(env.SESSIONS.getByName(name), (_, ctx) => work(ctx));
}

function begin({ store, log, fence }: ReturnType<typeof incarnation>): void {
  fence.write(() =>
    createSessionRow(store, log, { key: "k", agentId: "main", settings: {}, location: "caller", now: 1 }),
  );
}

test("the incarnation that wrote last is the only one that can write", () =>
  inObject("newest", (ctx) => {
    const old = incarnation(ctx);
    begin(old);
    const fresh = incarnation(ctx);
    fresh.fence.write(() => fresh.log.record("run_1", 1, [{ type: "queue", phase: "waiting", ahead: 0 }]));
    expect(() => old.fence.write(() => undefined)).toThrow(Superseded);
    fresh.fence.write(() => undefined);
  }));

test("a first commit that fails claims nothing, and the next one does", () =>
  inObject("failed", (ctx) => {
    begin(incarnation(ctx));
    const { store, log, fence } = incarnation(ctx);
    const fails = () => {
      throw new Error("no");
    };
    expect(() => fence.write(fails)).toThrow("no");
    fence.write(() => log.record("run_1", 1, [{ type: "queue", phase: "waiting", ahead: 0 }]));
    expect(readSessionRow(store)?.reservedSeq).toBeGreaterThan(log.lastSeq);
    expect(readSessionRow(store)?.epoch).toBe(2);
  }));

test("numbers that a failed commit set aside are set aside again before they are given out", () =>
  inObject("numbers", (ctx) => {
    const { store, log, fence } = incarnation(ctx);
    begin({ store, log, fence });
    const useUp = () => {
      for (let n = 0; n < 10_001; n++) log.take();
      throw new Error("no");
    };
    expect(() => fence.write(useUp)).toThrow("no");
    const seq = fence.write(() => log.record("run_1", 1, [{ type: "queue", phase: "waiting", ahead: 0 }]));
    expect(readSessionRow(store)?.reservedSeq).toBeGreaterThan(seq);
  }));

test("nothing that a failed commit recorded is read, and the next commit's is", () =>
  inObject("unheard", (ctx) => {
    const { store, log, fence } = incarnation(ctx);
    begin({ store, log, fence });
    const record = () => log.record("run_1", 1, [{ type: "queue", phase: "waiting", ahead: 0 }]);
    const fails = () => {
      record();
      throw new Error("no");
    };
    expect(() => fence.write(fails)).toThrow("no");
    expect(log.read({ after: 0, limit: 10 })).toEqual([]);
    const seq = fence.write(record);
    expect(log.read({ after: 0, limit: 10 })).toMatchObject([{ seq }]);
  }));
