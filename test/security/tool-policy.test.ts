import { describe, expect, test } from "vitest";
import { policyAllows, type ToolPolicy } from "../../src/security/tool-policy.ts";

const TOOLS = [
  "read",
  "write",
  "exec",
  "message",
  "gateway",
  "sessions_list",
  "sessions_spawn",
  "session_status",
  "browser",
  "greet",
];

function left(...policies: Partial<ToolPolicy>[]): string[] {
  return TOOLS.filter((tool) => policies.every((policy) => policyAllows({ deny: [], ...policy }, tool)));
}

describe("a tool profile", () => {
  test.each<[NonNullable<ToolPolicy["profile"]>, string[]]>([
    ["minimal", ["session_status"]],
    ["messaging", ["message", "sessions_list", "session_status"]],
    ["coding", TOOLS.filter((tool) => tool !== "browser")],
    ["full", TOOLS],
  ])("%s leaves its tools on", (profile, tools) => {
    expect(left({ profile })).toEqual(tools);
  });

  test("is coding by default", () => {
    expect(left({})).toEqual(left({ profile: "coding" }));
  });
});

describe("a tool policy's list", () => {
  test("of allowed tools excludes all others, and adds none", () => {
    expect(left({ allow: ["group:fs", "Message"] })).toEqual(["read", "write", "message"]);
    expect(left({ profile: "minimal", allow: ["*"] })).toEqual(["session_status"]);
    expect(left({ allow: [] })).toEqual([]);
  });

  test("of denied tools wins", () => {
    expect(left({ allow: ["write", "read"], deny: ["write"] })).toEqual(["read"]);
    expect(left({ deny: ["*"] })).toEqual([]);
    expect(left({ deny: ["bash", "sessions_*", "group:automation"] })).toEqual([
      "read",
      "write",
      "message",
      "session_status",
      "greet",
    ]);
  });

  test("of one agent only removes tools", () => {
    expect(left({ deny: ["write"] }, { allow: ["read", "write"] })).toEqual(["read"]);
    expect(left({ allow: ["read"] }, { allow: ["*"] })).toEqual(["read"]);
  });

  test("may name built-in tools and plugins' tools", () => {
    expect(left({ allow: ["group:plugins"] })).toEqual(["greet"]);
    expect(left({ deny: ["group:openclaw"] })).toEqual(["greet"]);
  });

  test("may contain unknown names", () => {
    expect(left({ allow: ["constructor", "group:nothing", "read"] })).toEqual(["read"]);
  });
});
