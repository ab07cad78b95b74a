import { expect, test } from "vitest";
import { messagesOf } from "./check.ts";
import type { SessionEvidence } from "./evidence.ts";

/** A sub-agent's session whose only run was stopped while it was queued. */
function evidence(parentStatus: string): SessionEvidence {
  const session = { key: "agent:main:subagent:a", mode: "interrupt", readers: [] };
  return {
    session,
    parentStatus,
    sent: [{ message: { text: "[m0001c00 say 8]", door: "api" }, runIds: ["a"], refused: [] }],
    history: [],
    runs: [{ runId: "a", status: "aborted", endedAt: 2 }],
    indexed: new Map([["a", "aborted"]]),
    isChild: true,
  } as unknown as SessionEvidence;
}

test("a task that no transcript has is lost, unless its parent's run was stopped before it began", () => {
  expect(messagesOf(evidence("aborted"))).toEqual([]);
  expect(messagesOf(evidence("ok"))).toEqual([expect.objectContaining({ kind: "lost", runId: "a" })]);
});
