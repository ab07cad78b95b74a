import { expect, test } from "vitest";
import { begin, end, type PromptRef, prompted, promptsIn, type RunningRun } from "../../src/session-store/run.ts";

const run: RunningRun = begin(1, { startSeq: 1, sessionId: "ses_1" }, { text: "Hi", timeoutSeconds: 0 });
const ref = (hash: string, tools = "t"): PromptRef => ({ hash, stable: hash, dynamic: "d", tools, model: "fake/x" });
const hashes = (state: RunningRun) => promptsIn(state).map(({ hash }) => hash);

test("a prompt that is sent twice in a run is recorded once, and other tools make another prompt", () => {
  const once = prompted(run, ref("a"));
  expect(prompted(once, ref("a"))).toBe(once);
  expect(hashes(prompted(once, ref("a", "more tools")))).toEqual(["a", "a"]);
  expect(hashes(prompted(prompted(once, ref("b")), ref("a")))).toEqual(["a", "b", "a"]);
});

test("a run records its last eight prompts, also when it has ended", () => {
  const many = Array.from({ length: 12 }, (_, n) => ref(`p${n}`)).reduce<RunningRun>(prompted, run);
  expect(hashes(many)).toEqual(["p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11"]);
  const ended = end(many, { status: "ok", endedAt: 2, endSeq: 9, usage: run.usage });
  expect(promptsIn(ended)).toEqual(promptsIn(many));
  expect(promptsIn(end(run, { status: "ok", endedAt: 2, endSeq: 9, usage: run.usage }))).toEqual([]);
});
