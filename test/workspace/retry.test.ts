import { expect, test, vi } from "vitest";
import { sleepAbout } from "../../src/lib/sleep.ts";
import { createAttempt, type PriorAttempts } from "../../src/workspace/retry.ts";
import { WorkspaceError } from "../../src/workspace/workspace.ts";

/** What becomes of a call that fails so, one time after the other, and how long it waited in between. */
async function tried(failures: readonly Error[]) {
  const waits: number[] = [];
  const asked: PriorAttempts[] = [];
  const attempt = createAttempt(async (ms) => void waits.push(ms));
  const outcome = await attempt("a.md", async (again) => {
    asked.push(again);
    const failure = failures[asked.length - 1];
    if (failure !== undefined) throw failure;
    return "done";
  }).catch((thrown) => (thrown instanceof WorkspaceError ? thrown.code : thrown));
  return { outcome, waits, asked };
}

const busy = new Error("put: Reduce your concurrent request rate for the same object. (10058)");
const lost = new Error("Network connection lost.");

test.each([
  ["too many requests", busy],
  ["unavailable", new Error("get: Service unavailable (10043)")],
  ["an internal error", new Error("put: We encountered an internal error. Please try again. (10001)")],
  ["a lost connection", lost],
])("%s is waited out, longer each time, and no longer than two seconds", async (_, failure) => {
  expect(await tried([failure])).toMatchObject({ outcome: "done", waits: [150] });
  expect(await tried([failure, failure, failure])).toMatchObject({ outcome: "done", waits: [150, 500, 1200] });
  expect(await tried(Array(9).fill(failure))).toMatchObject({ outcome: "unavailable", waits: [150, 500, 1200] });
});

test("permanent R2 errors are not retried", async () => {
  expect(await tried([new Error("put: Access denied (10003)")])).toMatchObject({ outcome: "unavailable", waits: [] });
  const refused = new WorkspaceError("conflict", "a.md", "It changed.");
  expect(await tried([refused])).toMatchObject({ outcome: "conflict", waits: [] });
  const ours = new TypeError("undefined is not a function");
  expect(await tried([ours])).toMatchObject({ outcome: ours, waits: [] });
});

test("a retried R2 call knows whether an earlier attempt may have taken effect", async () => {
  expect((await tried([busy, busy])).asked).toEqual([false, "refused", "refused"]);
  expect((await tried([busy, lost, busy])).asked).toEqual([false, "refused", "unsure", "unsure"]);
});

test("R2 retries have jitter", async () => {
  vi.useFakeTimers();
  const waits = Array.from({ length: 50 }, async () => {
    const from = Date.now();
    await sleepAbout(1000);
    return Date.now() - from;
  });
  await vi.runAllTimersAsync();
  const waited = await Promise.all(waits);
  vi.useRealTimers();
  expect(Math.min(...waited)).toBeGreaterThanOrEqual(500);
  expect(Math.max(...waited)).toBeLessThanOrEqual(1500);
  expect(new Set(waited).size).toBeGreaterThan(5);
});
