import { expect, test } from "vitest";
import {
  acknowledged,
  checked,
  ended,
  isAtWork,
  isOpen,
  nextCheckAt,
  type Subagent,
  stopping,
  unanswered,
  wasStopped,
  withTask,
} from "../../src/session-store/subagent.ts";

const SELF = {
  ...{ agentId: "main", childRunId: "run_1", label: "barrels", askedBy: "call", startedAt: 0 },
  ...{
    modelOverride: {},
    timeoutSeconds: 600,
    announceTo: { target: null, owner: true, modelOverride: {}, timeoutSeconds: 600 },
  },
};
const MINUTE = 60_000;

function started(now = 0): Subagent {
  return withTask(SELF, { text: "x".repeat(1000), timeoutSeconds: 600 }, now);
}

test("a new one is due at once, and keeps only the beginning of its task once it has it", () => {
  expect(nextCheckAt(started(7))).toBe(7);
  expect(started().task).toHaveLength(400);
  expect(JSON.stringify(acknowledged(started(), 0))).not.toContain("x".repeat(401));
});

test("a sub-agent that does not answer is asked again at growing intervals of at most five minutes, without end", () => {
  let child = started();
  const pauses = Array.from({ length: 12 }, () => {
    child = unanswered(child, 0);
    return nextCheckAt(child);
  });
  expect(pauses.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
  expect(pauses.at(-1)).toBe(5 * MINUTE);
});

test("one that works is looked after in five minutes, then ever more seldom, at least once an hour", () => {
  let child = acknowledged(started(), 0);
  expect(nextCheckAt(child)).toBe(5 * MINUTE);
  const pauses = Array.from({ length: 5 }, () => {
    child = checked(child, 0);
    return nextCheckAt(child);
  });
  expect(pauses).toEqual([10, 20, 40, 60, 60].map((minutes) => minutes * MINUTE));
});

test("a late report of a sub-agent changes nothing", () => {
  const stop = stopping(acknowledged(started(), 0), 1);
  expect(acknowledged(stop, 2)).toBe(stop);
  expect(checked(stop, 2)).toBe(stop);
  const done = ended(stop, "stopped", 2);
  for (const change of [acknowledged, checked, unanswered, stopping]) expect(change(done, 3)).toBe(done);
  expect(ended(done, "ok", 3)).toBe(done);
});

test("each state says what it is", () => {
  const working = acknowledged(started(), 0);
  const stop = stopping(working, 0);
  const states = [started(), working, stop, ended(stop, "stopped", 0), ended(working, "ok", 0)];
  expect(states.map(isOpen)).toEqual([true, true, true, false, false]);
  expect(states.map(isAtWork)).toEqual([true, true, false, false, false]);
  expect(states.map(wasStopped)).toEqual([false, false, true, true, false]);
});
