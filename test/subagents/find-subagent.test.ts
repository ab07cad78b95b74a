import { expect, test } from "vitest";
import type { SubagentView } from "../../src/session-store/subagent.ts";
import { findSubagent } from "../../src/subagents/find-subagent.ts";

function child(name: string, label: string, status: SubagentView["status"]): SubagentView {
  const ids = { sessionKey: `agent:main:subagent:${name}`, agentId: "main", runId: `run_${name}` };
  return { ...ids, label, status, task: "", startedAt: 0 };
}

const CHILDREN = [
  child("d", "2", "ok"),
  child("c", "Weather", "working"),
  child("b", "weather", "ok"),
  child("a", "garden", "ok"),
];

test("a sub-agent is meant by its number, its key, its run or its label", () => {
  const named = ["4", "#4", "agent:main:subagent:a", "run_a", " Garden "];
  expect(named.map((which) => findSubagent(CHILDREN, which).runId)).toEqual(named.map(() => "run_a"));
});

test("of several with one label the one at work is meant, and a label goes before a number", () => {
  expect(findSubagent(CHILDREN, "weather").runId).toBe("run_c");
  expect(findSubagent(CHILDREN, "2").runId).toBe("run_d");
});

test("an unknown or ambiguous sub-agent is answered with the list of sub-agents", () => {
  expect(() => findSubagent(CHILDREN, "9")).toThrow(
    "There is no sub-agent '9'. There are:\n1. 2 (ok)\n2. Weather (working)",
  );
  const twice = [child("x", "same", "ok"), child("y", "same", "ok")];
  expect(() => findSubagent(twice, "same")).toThrow("Several sub-agents are called 'same'.");
  expect(() => findSubagent([], "1")).toThrow("This session has started no sub-agents.");
});
