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
  "canvas",
  "greet",
];

function left(...policies: Partial<ToolPolicy>[]): string[] {
  return TOOLS.filter((tool) => policies.every((policy) => policyAllows({ deny: [], ...policy }, tool)));
}

describe("a tool profile", () => {
  test.each<[NonNullable<ToolPolicy["profile"]>, string[]]>([
    ["minimal", ["session_status"]],
    ["messaging", ["message", "sessions_list", "session_status"]],
    ["coding", TOOLS.filter((tool) => tool !== "canvas")],
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
      "browser",
      "greet",
    ]);
    expect(left({ allow: ["browser", "read"], deny: ["group:web"] })).toEqual(["read"]);
    expect(left({ allow: ["browser", "read"], deny: ["group:ui"] })).toEqual(["read"]);
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

describe("tools of MCP servers", () => {
  const long = `mcp_tracker_${"x".repeat(45)}_abc123`;
  const isDenied = (deny: string, tool: string) => !policyAllows({ deny: [deny] }, tool);
  const isAllowed = (allow: string, tool: string) => policyAllows({ allow: [allow], deny: [] }, tool);

  test.each(["mcp_tracker_get_issue", "mcp_tracker_*", "group:mcp", "tracker__get_issue", "Tracker__*", "bundle-mcp"])(
    "are named by %s, also as OpenClaw names them",
    (entry) => {
      for (const matches of [isDenied, isAllowed]) {
        expect(matches(entry, "mcp_tracker_get_issue")).toBe(true);
        expect(matches(entry, "memory_search")).toBe(false);
      }
    },
  );

  test("are denied by OpenClaw's prefixes of a server's name, which allow nothing", () => {
    for (const entry of ["tracker*", "track*", "tracker_*"]) {
      expect(isDenied(entry, "mcp_tracker_get_issue")).toBe(true);
      expect(isAllowed(entry, "mcp_tracker_get_issue")).toBe(false);
    }
  });

  test("are not named by the name of a built-in tool that their own ends with", () => {
    for (const matches of [isDenied, isAllowed]) expect(matches("memory_search", "mcp_memory_search")).toBe(false);
  });

  test("whose names are cut here are named by the whole name that OpenClaw has", () => {
    expect(long).toHaveLength(64);
    expect(isDenied(`tracker__${"x".repeat(55)}`, long)).toBe(true);
    expect(isDenied(`tracker__${"y".repeat(55)}`, long)).toBe(false);
  });
});
