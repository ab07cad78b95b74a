import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { ToolOutput } from "../../src/agent/tool.ts";
import { newRunId } from "../../src/config/session-ids.ts";
import { Processes } from "../../src/processes/processes.ts";
import { EventLog } from "../../src/session-store/event-log.ts";
import { Fence } from "../../src/session-store/fence.ts";
import { createSessionRow, readSessionRow } from "../../src/session-store/session-row.ts";
import { openStore, updateTables } from "../../src/session-store/store.ts";

const STARTER = { runId: newRunId("o".repeat(26), 0), labels: [] };

/** Opens a session's database the way every incarnation of its object does. */
function incarnation(ctx: DurableObjectState) {
  const store = openStore(ctx);
  updateTables(ctx, store);
  const log = new EventLog(store, readSessionRow(store)?.reservedSeq ?? 1);
  const fence = new Fence(ctx.storage, store, log);
  const processes: Processes = new Processes({
    ...{ store, log, fence, now: () => 5, changed: () => processes.recover() },
    policyFor: () => Promise.reject(new Error("No run is woken here.")) as never,
    waitUntil: () => undefined,
  });
  return { store, log, fence, processes };
}

/** A session in an object of its own. */
function inSession(
  name: string,
  work: (ctx: DurableObjectState, first: ReturnType<typeof incarnation>) => Promise<void>,
) {
  return runInDurableObject(env.SESSIONS.getByName(name), async (_, ctx) => {
    const first = incarnation(ctx);
    const { store, log, fence } = first;
    const row = { key: "k", agentId: "main", settings: {}, location: "caller", now: 1 } as const;
    fence.write(() => createSessionRow(store, log, row));
    await work(ctx, first);
  });
}

/** A command that ends when it is told to. */
function newCommand() {
  const { promise: done, resolve: end, reject } = Promise.withResolvers<ToolOutput>();
  const stopped: string[] = [];
  const stop = () => {
    stopped.push("stopped");
    reject(new Error("stopped"));
  };
  return { end, stopped, command: { script: "x", startedAt: 1, done, soFar: () => ({ text: "so far" }), stop } };
}

test("an end that could not be stored is stored later, with what it has printed, and only once", () =>
  inSession("end-fails", async (ctx, { processes }) => {
    const { end, command } = newCommand();
    const id = processes.take(command, STARTER);
    ctx.storage.sql.exec("CREATE TRIGGER broken BEFORE UPDATE ON processes BEGIN SELECT RAISE(ABORT, 'broken'); END");
    end({ text: "out" });
    await processes.idle();
    processes.recover();
    expect(processes.list()).toMatchObject([{ status: "running" }]);
    expect(processes.busy).toBe(true);
    ctx.storage.sql.exec("DROP TRIGGER broken");
    processes.recover();
    expect(processes.list()).toMatchObject([{ id, status: "ended" }]);
    expect(processes.output(id)).toEqual({ text: "out" });
    expect(processes.busy).toBe(false);
  }));

test("all commands of an incarnation are stopped once another has taken over, which tells of them", () =>
  inSession("taken-over", async (ctx, { processes }) => {
    const [one, two] = [newCommand(), newCommand()];
    processes.take(one.command, STARTER);
    processes.take(two.command, STARTER);
    const next = incarnation(ctx);
    next.processes.recover();
    one.end({ text: "out" });
    await processes.idle();
    expect(two.stopped).not.toEqual([]);
    expect(processes.busy).toBe(false);
    expect(next.processes.list()).toMatchObject([{ status: "interrupted" }, { status: "interrupted" }]);
  }));
