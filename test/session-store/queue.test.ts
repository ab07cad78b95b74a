import { expect, test } from "vitest";
import type { QueueClass } from "../../src/config/origins.ts";
import {
  admit,
  inQueueOrder,
  mergeable,
  nextRun,
  type QueuePolicy,
  type WaitingRun,
} from "../../src/session-store/queue.ts";

const policy = (change: Partial<QueuePolicy> = {}): QueuePolicy => {
  return { mode: "steer", debounceMs: 500, cap: 2, drop: "summarize", ...change };
};
const run = (id: string, queueClass: QueueClass = "message"): WaitingRun => {
  return { id, acceptedAt: 0, mergeKey: "owner", behind: true, queueClass };
};
const ids = (runs: readonly WaitingRun[]) => runs.map(({ id }) => id);

test("a new conversation goes before whatever waits, and everything else keeps its order", () => {
  const waiting = [run("a"), run("b", "command"), run("c", "reset"), run("d", "announcement"), run("e", "reset")];
  expect(ids(inQueueOrder(waiting))).toEqual(["c", "e", "a", "b", "d"]);
});

test("a command never gives way to messages, and messages never to a command", () => {
  const waiting = [run("a", "command"), run("b"), run("c")];
  const admitted = admit(waiting, { mergeKey: "owner", queueClass: "message" }, undefined, policy());
  expect(admitted.drop).toEqual([{ id: "b", reason: "summarized" }]);
  const interrupting = admit(
    waiting,
    { mergeKey: "owner", queueClass: "message" },
    "owner",
    policy({ mode: "interrupt" }),
  );
  expect(interrupting.drop.map(({ id }) => id)).toEqual(["b", "c"]);
  const command = { mergeKey: "owner", queueClass: "command" } as const;
  expect(admit(waiting, command, "owner", policy({ mode: "interrupt" }))).toEqual({
    admitted: true,
    drop: [],
    interrupt: false,
  });
});

test("commands have a cap, too, and past it the new one is refused", () => {
  const waiting = [run("a", "command"), run("b", "reset")];
  const refused = { admitted: false, drop: [], interrupt: false };
  expect(admit(waiting, { mergeKey: "owner", queueClass: "command" }, "owner", policy())).toEqual(refused);
  expect(admit(waiting, { mergeKey: "owner", queueClass: "reset" }, "owner", policy())).toEqual(refused);
  expect(admit([], { mergeKey: "x", queueClass: "reset" }, "owner", policy({ mode: "followup" })).interrupt).toBe(true);
});

test("nothing joins the run at work once the conversation is to begin anew, and a command never does", () => {
  expect(ids(mergeable([run("a"), run("b", "command"), run("c", "announcement")], "owner", policy()))).toEqual([
    "a",
    "c",
  ]);
  expect(mergeable([run("a"), run("b", "reset")], "owner", policy())).toEqual([]);
});

test("a command is neither collected with others nor made to wait for quiet", () => {
  const collect = policy({ mode: "collect" });
  expect(nextRun([run("a", "command"), run("b")], collect, 0)).toEqual({ take: [run("a", "command")] });
  expect(nextRun([run("a"), run("b", "command"), run("c")], collect, 1000)).toEqual({ take: [run("a"), run("c")] });
  expect(nextRun([run("a"), run("b", "command")], collect, 0)).toEqual({ notBefore: 500 });
});
