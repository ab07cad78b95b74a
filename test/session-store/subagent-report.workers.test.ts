import { expect, test } from "vitest";
import type { SettledRun } from "../../src/session-store/run.ts";
import { continued, cutShort, MAX_RESULT_CHARS, reportOf } from "../../src/session-store/subagent-report.ts";
import { NONE } from "../flow/session-lab.ts";

function ended(status: "ok" | "error" | "timeout", output: number, endedAt: number): SettledRun {
  const error = status === "ok" ? {} : { error: { code: "model_error" as const, message: "It broke." } };
  return { status, startedAt: 1, startSeq: 1, endedAt, endSeq: 2, usage: { ...NONE, output }, ...error };
}

function endOf(text: string, state = ended("ok", 5, 10), runId = "run_1") {
  return { runId, state, text, joinedRunIds: [] };
}

test("a sub-agent's report has the beginning of a long result, and its length", () => {
  const report = reportOf("key", endOf("x".repeat(20_000)));
  expect(report.text).toHaveLength(MAX_RESULT_CHARS);
  expect(report).toMatchObject({ childKey: "key", childRunId: "run_1", status: "ok", chars: 20_000, endedAt: 10 });
});

test("a sub-agent's report says when its message was dropped from the queue", () => {
  const dropped: SettledRun = { status: "dropped", reason: "queue_full", endedAt: 3, endSeq: 4 };
  expect(reportOf("key", endOf("", dropped))).toMatchObject({
    status: "error",
    error: expect.stringContaining("gave way"),
  });
});

test("a sub-agent's report after several runs has the last result and the usage of all", () => {
  const first = reportOf("key", endOf("I wait."));
  const later = continued(first, { ...endOf("Done.", ended("ok", 7, 20), "run_2"), joinedRunIds: ["run_3"] });
  expect(later).toMatchObject({ childRunId: "run_1", text: "Done.", chars: 5, endedAt: 20, usage: { output: 12 } });
  expect(later.joinedRunIds).toEqual(["run_3"]);
});

test("a sub-agent's report keeps an earlier result when later runs are silent or fail", () => {
  const first = reportOf("key", endOf("Half of it."));
  expect(continued(first, endOf("", ended("ok", 1, 20)))).toMatchObject({ status: "ok", text: "Half of it." });
  expect(continued(first, endOf("", ended("error", 1, 20)))).toMatchObject({
    ...{ status: "error", text: "Half of it.", error: "It broke." },
  });
});

test("a sub-agent that is stopped while it waits reports that, with the result that it had", () => {
  expect(cutShort(reportOf("key", endOf("I wait.")), 30)).toMatchObject({
    status: "aborted",
    text: "I wait.",
    endedAt: 30,
  });
});
