import { expect, test } from "vitest";
import { change, EMPTY } from "../../src/web/conversation.ts";
import { type Pending, settle, visiblePending } from "../../src/web/pending.ts";

const input = { id: "u1", at: 0, role: "user", text: "Hello" } as const;
const begun = change(EMPTY, {
  type: "event",
  event: { type: "lifecycle", phase: "start", input, runId: "run_1", seq: 7, ts: 0 },
});

test("an accepted message waits until its run begins, then the transcript has it", () => {
  const accepted = pending({ type: "accepted", runId: "run_1" });
  expect(settle([accepted], EMPTY)).toEqual([accepted]);
  expect(settle([accepted], begun)).toEqual([]);
});

test("a message whose run ended before it began comes back with the reason", () => {
  const error = { code: "aborted", message: "The run was stopped." } as const;
  const stopped = change(EMPTY, {
    type: "event",
    event: { type: "lifecycle", phase: "error", error, runId: "run_1", seq: 7, ts: 0 },
  });
  const [left] = settle([pending({ type: "accepted", runId: "run_1" })], stopped);
  expect(left?.state).toEqual({ type: "refused", message: "The run was stopped." });
});

test("a message is not shown twice when its run begins before the answer is there", () => {
  expect(visiblePending([pending({ type: "sending", afterSeq: 6 })], EMPTY)).toHaveLength(1);
  expect(visiblePending([pending({ type: "sending", afterSeq: 6 })], begun)).toEqual([]);
});

test("the same text said before does not stand for a new message", () => {
  expect(visiblePending([pending({ type: "sending", afterSeq: 7 })], begun)).toHaveLength(1);
});

test("one message in the transcript stands for one pending message", () => {
  const twice = [pending({ type: "sending", afterSeq: 6 }), pending({ type: "sending", afterSeq: 6 })];
  expect(visiblePending(twice, begun)).toHaveLength(1);
});

function pending(state: Pending["state"]): Pending {
  return { idempotencyKey: "k", text: "Hello", state };
}
