import { expect, test } from "vitest";
import {
  admit,
  inTurn,
  joining,
  type Manner,
  nextUp,
  type QueuePolicy,
  type WaitingRun,
} from "../../src/session-store/queue.ts";

const policy = (change: Partial<QueuePolicy> = {}): QueuePolicy => {
  return { mode: "steer", debounceMs: 500, cap: 2, drop: "summarize", ...change };
};
const run = (id: string, manner: Manner = "message"): WaitingRun => {
  return { id, acceptedAt: 0, talk: "owner", behind: true, manner };
};
const ids = (runs: readonly WaitingRun[]) => runs.map(({ id }) => id);

test("a new conversation goes before whatever waits, and everything else keeps its order", () => {
  const waiting = [run("a"), run("b", "command"), run("c", "reset"), run("d", "news"), run("e", "reset")];
  expect(ids(inTurn(waiting))).toEqual(["c", "e", "a", "b", "d"]);
});

test("a command never gives way to messages, and messages never to a command", () => {
  const waiting = [run("a", "command"), run("b"), run("c")];
  const admitted = admit(waiting, { talk: "owner", manner: "message" }, undefined, policy());
  expect(admitted.drop).toEqual([{ id: "b", reason: "summarized" }]);
  const interrupting = admit(waiting, { talk: "owner", manner: "message" }, "owner", policy({ mode: "interrupt" }));
  expect(interrupting.drop.map(({ id }) => id)).toEqual(["b", "c"]);
  const command = { talk: "owner", manner: "command" } as const;
  expect(admit(waiting, command, "owner", policy({ mode: "interrupt" }))).toEqual({
    admitted: true,
    drop: [],
    interrupt: false,
  });
});

test("commands have a cap, too, and past it the new one is refused", () => {
  const waiting = [run("a", "command"), run("b", "reset")];
  const refused = { admitted: false, drop: [], interrupt: false };
  expect(admit(waiting, { talk: "owner", manner: "command" }, "owner", policy())).toEqual(refused);
  expect(admit(waiting, { talk: "owner", manner: "reset" }, "owner", policy())).toEqual(refused);
  expect(admit([], { talk: "x", manner: "reset" }, "owner", policy({ mode: "followup" })).interrupt).toBe(true);
});

test("nothing joins the run at work once the conversation is to begin anew, and a command never does", () => {
  expect(ids(joining([run("a"), run("b", "command"), run("c", "news")], "owner", policy()))).toEqual(["a", "c"]);
  expect(joining([run("a"), run("b", "reset")], "owner", policy())).toEqual([]);
});

test("a command is neither collected with others nor made to wait for quiet", () => {
  const collect = policy({ mode: "collect" });
  expect(nextUp([run("a", "command"), run("b")], collect, 0)).toEqual({ take: [run("a", "command")] });
  expect(nextUp([run("a"), run("b", "command"), run("c")], collect, 1000)).toEqual({ take: [run("a"), run("c")] });
  expect(nextUp([run("a"), run("b", "command")], collect, 0)).toEqual({ notBefore: 500 });
});
