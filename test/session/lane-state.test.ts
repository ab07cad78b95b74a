import { expect, test } from "vitest";
import { ask, handOut, type LaneState, LEASE_MS, leave, POLL_MS, renew } from "../../src/session/lane-state.ts";

const EMPTY: LaneState = { holders: [], waiters: [] };
const holders = (state: LaneState) => state.holders.map((holder) => holder.runId);
const waiters = (state: LaneState) => state.waiters.map((waiter) => waiter.runId);

function asking(runs: string[], now: number, state = EMPTY): LaneState {
  return runs.reduce((lane, run) => ask(lane, run, now), state);
}

test("a lane gives its slots to the runs that have waited longest, and never more than it has", () => {
  const full = handOut(asking(["a", "b", "c", "d"], 0), 2, 0);
  expect(holders(full)).toEqual(["a", "b"]);
  expect(waiters(full)).toEqual(["c", "d"]);
  expect(holders(handOut(leave(full, "a"), 2, 1))).toEqual(["b", "c"]);
});

test("a run that asks a lane again keeps its place and never gets a second slot", () => {
  const full = handOut(asking(["a", "b", "c"], 0), 1, 0);
  const again = handOut(asking(["a", "b"], 5, full), 1, 5);
  expect(holders(again)).toEqual(["a"]);
  expect(waiters(again)).toEqual(["b", "c"]);
});

test("a run that does not renew its slot loses it, and one that does keeps it", () => {
  const full = handOut(asking(["a", "b"], 0), 1, 0);
  const waiting = ask(full, "b", LEASE_MS - 1);
  expect(holders(handOut(waiting, 1, LEASE_MS - 1))).toEqual(["a"]);
  expect(holders(handOut(waiting, 1, LEASE_MS))).toEqual(["b"]);
  expect(holders(handOut(renew(waiting, "a", LEASE_MS - 1), 1, LEASE_MS))).toEqual(["a"]);
});

test("a waiting run that does not ask again is passed over and then removed", () => {
  const full = handOut(asking(["a", "dead"], 0), 1, 0);
  const later = ask(full, "alive", POLL_MS + 1);
  expect(holders(handOut(leave(later, "a"), 1, POLL_MS + 1))).toEqual(["alive"]);
  expect(waiters(handOut(later, 1, 2 * POLL_MS))).toEqual(["alive"]);
});

test("a run that leaves a lane is removed, whether it held a slot or waited", () => {
  const full = handOut(asking(["a", "b"], 0), 1, 0);
  expect(waiters(leave(full, "b"))).toEqual([]);
  expect(holders(leave(full, "a"))).toEqual([]);
});
