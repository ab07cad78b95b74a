import { expect, test } from "vitest";
import { admit, joining, nextUp, type QueuePolicy, type WaitingRun } from "../../src/session-store/queue.ts";

const note = (id: string): WaitingRun => ({ id, acceptedAt: 0, talk: "t", behind: true, manner: "note" });
const policy = (mode: QueuePolicy["mode"]): QueuePolicy => ({ mode, debounceMs: 500, cap: 1, drop: "old" });

test("what was sent from elsewhere has a turn of its own, whatever waits, and gives way to nothing", () => {
  const waiting = [note("a"), note("b")];
  expect(admit(waiting, { talk: "t", manner: "note" }, "t", policy("interrupt"))).toEqual({
    admitted: true,
    drop: [],
    interrupt: false,
  });
  expect(admit(waiting, { talk: "t", manner: "message" }, undefined, policy("interrupt")).drop).toEqual([]);
  expect(joining(waiting, "t", policy("steer"))).toEqual([]);
  expect(nextUp(waiting, policy("collect"), 0)).toEqual({ take: [note("a")] });
});
