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
  return { id, acceptedAt: 0, mergeKey: "owner", behind: true, queueClass, chars: 1 };
};
const ids = (runs: readonly WaitingRun[]) => runs.map(({ id }) => id);

test("a new conversation goes before whatever waits, and everything else keeps its order", () => {
  const waiting = [run("a"), run("b", "command"), run("c", "reset"), run("d", "announcement"), run("e", "reset")];
  expect(ids(inQueueOrder(waiting))).toEqual(["c", "e", "a", "b", "d"]);
});

test("a command never gives way to messages, and messages never to a command", () => {
  const waiting = [run("a", "command"), run("b"), run("c")];
  const admitted = admit(
    waiting,
    { mergeKey: "owner", queueClass: "message", chars: 1, mustWait: false },
    undefined,
    policy(),
  );
  expect(admitted.drop).toEqual([{ id: "b", reason: "summarized" }]);
  const interrupting = admit(
    waiting,
    { mergeKey: "owner", queueClass: "message", chars: 1, mustWait: false },
    "owner",
    policy({ mode: "interrupt" }),
  );
  expect(interrupting.drop.map(({ id }) => id)).toEqual(["b", "c"]);
  const command = { mergeKey: "owner", queueClass: "command", chars: 1, mustWait: false } as const;
  expect(admit(waiting, command, "owner", policy({ mode: "interrupt" }))).toEqual({
    admitted: true,
    drop: [],
    interrupt: false,
  });
});

test("commands have a cap, too, and past it the new one is refused", () => {
  const waiting = [run("a", "command"), run("b", "reset")];
  const refused = { admitted: false, drop: [], interrupt: false };
  expect(
    admit(waiting, { mergeKey: "owner", queueClass: "command", chars: 1, mustWait: false }, "owner", policy()),
  ).toEqual(refused);
  expect(
    admit(waiting, { mergeKey: "owner", queueClass: "reset", chars: 1, mustWait: false }, "owner", policy()),
  ).toEqual(refused);
  expect(
    admit([], { mergeKey: "x", queueClass: "reset", chars: 1, mustWait: false }, "owner", policy({ mode: "followup" }))
      .interrupt,
  ).toBe(true);
});

test("nothing joins the run at work once the conversation is to begin anew, and a command never does", () => {
  expect(ids(mergeable([run("a"), run("b", "command"), run("c", "announcement")], "owner", policy(), 0))).toEqual([
    "a",
    "c",
  ]);
  expect(mergeable([run("a"), run("b", "reset")], "owner", policy(), 0)).toEqual([]);
});

test("a command is neither collected with others nor made to wait for quiet", () => {
  const collect = policy({ mode: "collect" });
  expect(nextRun([run("a", "command"), run("b")], collect, 0)).toEqual({ take: [run("a", "command")] });
  expect(nextRun([run("a"), run("b", "command"), run("c")], collect, 1000)).toEqual({ take: [run("a"), run("c")] });
  expect(nextRun([run("a"), run("b", "command")], collect, 0)).toEqual({ notBefore: 500 });
});

test("where nothing may be dropped, the new message is refused above the cap, unless it has to wait or joins", () => {
  const waiting = [run("a"), run("b")];
  const arrival = { mergeKey: "owner", queueClass: "message", chars: 1, mustWait: false } as const;
  const refusing = policy({ mode: "followup", drop: "refuse" });
  expect(admit(waiting, arrival, undefined, refusing)).toMatchObject({ admitted: false, refused: true, drop: [] });
  expect(admit(waiting, { ...arrival, mustWait: true }, undefined, refusing)).toMatchObject({
    admitted: true,
    drop: [],
  });
  expect(admit(waiting, arrival, "owner", policy({ drop: "refuse" }))).toMatchObject({ admitted: true, drop: [] });
  const many = Array.from({ length: 1000 }, (_, n) => run(`m${n}`));
  expect(admit(many, { ...arrival, mustWait: true }, "owner", refusing)).toMatchObject({ refused: true });
  const long = { ...run("long"), chars: 2 * 1024 * 1024 };
  expect(admit([long], { ...arrival, mustWait: true }, "owner", refusing)).toMatchObject({ refused: true });
});

test("what waits above the cap is taken up together, as much as a model can read at once", () => {
  const refusing = policy({ mode: "followup", drop: "refuse" });
  expect(nextRun([run("a"), run("b")], refusing, 0)).toEqual({ take: [run("a")] });
  expect(nextRun([run("a"), run("b"), run("c")], refusing, 0)).toEqual({ take: [run("a"), run("b"), run("c")] });
  const long = (id: string) => ({ ...run(id), chars: 90_000 });
  expect(nextRun(["a", "b", "c", "d"].map(long), refusing, 0)).toEqual({ take: [long("a"), long("b")] });
});
