import { expect, test } from "vitest";
import { admit, mergeable, nextRun, type QueuePolicy, type WaitingRun } from "../../src/session-store/queue.ts";

const note = (id: string): WaitingRun => ({
  id,
  acceptedAt: 0,
  mergeKey: "t",
  behind: true,
  queueClass: "note",
  chars: 1,
});
const policy = (mode: QueuePolicy["mode"]): QueuePolicy => ({ mode, debounceMs: 500, cap: 1, drop: "old" });

test("a message from another session has a turn of its own and is never dropped from the queue", () => {
  const waiting = [note("a"), note("b")];
  expect(
    admit(waiting, { mergeKey: "t", queueClass: "note", chars: 1, mustWait: false }, "t", policy("interrupt")),
  ).toEqual({
    admitted: true,
    drop: [],
    interrupt: false,
  });
  expect(
    admit(waiting, { mergeKey: "t", queueClass: "message", chars: 1, mustWait: false }, undefined, policy("interrupt"))
      .drop,
  ).toEqual([]);
  expect(mergeable(waiting, "t", policy("steer"), 0)).toEqual([]);
  expect(nextRun(waiting, policy("collect"), 0)).toEqual({ take: [note("a")] });
});
