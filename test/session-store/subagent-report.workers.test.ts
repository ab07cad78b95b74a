import { expect, test } from "vitest";
import type { SettledRun } from "../../src/session-store/run.ts";
import { extendReport, interruptedReport, MAX_RESULT_CHARS, subagentReport } from "../../src/session-store/subagent.ts";
import { NONE } from "../flow/session-lab.ts";

function ended(status: "ok" | "error" | "timeout", output: number, endedAt: number): SettledRun {
  const error = status === "ok" ? {} : { error: { code: "model_error" as const, message: "It broke." } };
  return { status, startedAt: 1, startSeq: 1, endedAt, endSeq: 2, usage: { ...NONE, output }, ...error };
}

function endOf(text: string, state = ended("ok", 5, 10), runId = "run_1") {
  return { runId, state, text, joinedRunIds: [] };
}

test("of a long result the beginning is told, and how long it is", () => {
  const report = subagentReport("key", endOf("x".repeat(20_000)));
  expect(report.text).toHaveLength(MAX_RESULT_CHARS);
  expect(report).toMatchObject({ childKey: "key", childRunId: "run_1", status: "ok", chars: 20_000, endedAt: 10 });
});

test("a sub-agent's report says when its message was dropped from the queue", () => {
  const dropped: SettledRun = { status: "dropped", reason: "queue_full", endedAt: 3, endSeq: 4 };
  expect(subagentReport("key", endOf("", dropped))).toMatchObject({
    status: "error",
    error: expect.stringContaining("gave way"),
  });
});

test("of work that went on the last word counts, and all that it took", () => {
  const first = subagentReport("key", endOf("I wait."));
  const later = extendReport(first, { ...endOf("Done.", ended("ok", 7, 20), "run_2"), joinedRunIds: ["run_3"] });
  expect(later).toMatchObject({ childRunId: "run_1", text: "Done.", chars: 5, endedAt: 20, usage: { output: 12 } });
  expect(later.joinedRunIds).toEqual(["run_3"]);
});

test("of work that went on in silence, or failed later, the earlier word stays", () => {
  const first = subagentReport("key", endOf("Half of it."));
  expect(extendReport(first, endOf("", ended("ok", 1, 20)))).toMatchObject({ status: "ok", text: "Half of it." });
  expect(extendReport(first, endOf("", ended("error", 1, 20)))).toMatchObject({
    ...{ status: "error", text: "Half of it.", error: "It broke." },
  });
});

test("work that is stopped while it waits is told as stopped, with what it had", () => {
  expect(interruptedReport(subagentReport("key", endOf("I wait.")), 30)).toMatchObject({
    status: "aborted",
    text: "I wait.",
    endedAt: 30,
  });
});
