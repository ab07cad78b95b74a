import { expect, test } from "vitest";
import { refusalToReach } from "../../src/config/session-reach.ts";

type Visibility = "self" | "tree" | "agent" | "all";

const OWN = "agent:main:main";

function reach(
  visibility: Visibility,
  otherKey: string,
  { isDescendant = false, agentToAgent = { enabled: false, allow: [] as string[] } } = {},
) {
  return refusalToReach({ tools: { sessions: { visibility }, agentToAgent }, ownKey: OWN, otherKey, isDescendant });
}

test("a session is never out of its own reach", () => {
  for (const visibility of ["self", "tree", "agent", "all"] as const) expect(reach(visibility, OWN)).toBeUndefined();
});

test("what was started from here is in reach, of whichever agent, unless only the session itself is", () => {
  const key = "agent:other:subagent:x";
  for (const visibility of ["tree", "agent", "all"] as const) {
    expect(reach(visibility, key, { isDescendant: true })).toBeUndefined();
  }
  expect(reach("self", key, { isDescendant: true })).toContain("tools.sessions.visibility is 'self'");
});

test("others of the same agent are in reach from `agent` on", () => {
  const key = "agent:main:telegram:direct:7";
  expect(reach("tree", key)).toContain("tools.sessions.visibility is 'tree'");
  expect(reach("agent", key)).toBeUndefined();
  expect(reach("all", key)).toBeUndefined();
});

test("those of other agents need `all`, and agentToAgent that names their agent, names all or nobody in particular", () => {
  const key = "agent:other:main";
  const allowing = (...allow: string[]) => ({ agentToAgent: { enabled: true, allow } });
  expect(reach("agent", key, allowing("*"))).toContain("tools.sessions.visibility is 'agent'");
  expect(reach("all", key)).toContain("tools.agentToAgent.enabled is false");
  expect(reach("all", key, allowing("third"))).toContain("tools.agentToAgent.allow does not name");
  for (const allow of [["other"], ["*"], []]) expect(reach("all", key, allowing(...allow))).toBeUndefined();
});

test("what is no session key is refused", () => {
  expect(() => reach("all", "agent:Main")).toThrow("is not a session key");
});
