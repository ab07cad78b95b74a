import { expect, test } from "vitest";
import { operationsUsd } from "../../src/services/list-prices.ts";
import { call, finished, say, script, waitFor } from "./client.ts";
import { evict, rewrite, session, sql } from "./session-lab.ts";

/** A run as it stands once the lists have it. */
async function closed(name: string, runId: string): Promise<any> {
  await finished(runId);
  await waitFor(async () => (await sql(name, "select open from runs where id = ?", runId))[0]?.open === 0);
  return (await call("GET", `/v1/runs/${runId}`)).json();
}

/** A session with two turns behind it, so that the next one is warm. */
async function warm(name: string): Promise<void> {
  await script(
    name,
    Array.from({ length: 6 }, () => ({ text: "Fine." })),
  );
  for (let turn = 0; turn < 2; turn++) await closed(name, (await say("Hello", name, session(name))).runId);
}

test("a run has what it used of the platform: rows, R2, D1 and time, and what that costs", async () => {
  await warm("used");
  const { operations } = await closed("used", (await say("And now?", "used", session("used"))).runId);
  expect(operations).toEqual({
    rowsRead: expect.any(Number),
    rowsWritten: expect.any(Number),
    d1Requests: 1,
    d1RowsRead: expect.any(Number),
    d1RowsWritten: expect.any(Number),
    r2Writes: 0,
    r2Reads: 0,
    objectMs: expect.any(Number),
    dollars: expect.any(Number),
  });
  expect(operations.rowsWritten).toBeGreaterThan(4);
  expect(operations.rowsWritten).toBeLessThan(30);
  expect(operations.d1RowsWritten).toBeGreaterThan(1);
  const { dollars, ...used } = operations;
  expect(dollars).toBe(operationsUsd(used));
  expect(dollars).toBeLessThan(0.0001);
});

test("a read more is counted, and nothing of other sessions", async () => {
  await warm("more");
  const other = warm("more-besides");
  await script("more", [{ calls: [{ name: "read", args: { path: "AGENTS.md" } }] }, { text: "Read." }]);
  const read = await closed("more", (await say("Read", "more", session("more"))).runId);
  await other;
  expect(read.operations.r2Reads).toBe(1);
  await script("more", [{ calls: [{ name: "write", args: { path: "a.md", content: "A" } }] }, { text: "Written." }]);
  const written = await closed("more", (await say("Write", "more", session("more"))).runId);
  expect(written.operations.r2Writes).toBeGreaterThan(0);
});

test("a run from before it was counted, and one that never ran, have no operations", async () => {
  await warm("before");
  const { runId } = await say("Hello", "before", session("before"));
  await closed("before", runId);
  await rewrite("before", "update runs set state = json_remove(state, '$.operations') where id = ?", runId);
  const view = await (await call("GET", `/v1/runs/${runId}`)).json<any>();
  expect(view).toMatchObject({ status: "ok" });
  expect(view).not.toHaveProperty("operations");
  await evict("before");
});
