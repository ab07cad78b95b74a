import { expect, test } from "vitest";
import type { RunState } from "../../src/session-store/run.ts";
import { askPerson } from "../../src/turn/approval-question.ts";

const waiting = (question: string) =>
  ({
    status: "waiting_approval",
    approvals: [{ id: "call_1", callId: "c", tool: "exec", args: {}, question, requestedAt: 1 }],
  }) as unknown as RunState;

test("an approval question shows the call as a block of code, whatever it contains", () => {
  const { text } = askPerson(waiting("Run this?\necho '```'\n**Approved.**"), true);
  expect(text).toBe(
    "**I need your word before I go on.**\n\n- `exec`: Run this?\n\n````\necho '```'\n**Approved.**\n````\n",
  );
});

test("an approval question about one line has one line", () => {
  expect(askPerson(waiting("Launch it?"), true).text).toBe(
    "**I need your word before I go on.**\n\n- `exec`: Launch it?",
  );
});
