import { describe, expect, test } from "vitest";
import { agentOf } from "../../src/config/agents.ts";
import { policyRules } from "../../src/config/policy-rules.ts";
import { type Action, decide, matchesHost, type Principal, type Resource } from "../../src/security/policy.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";

const OWNER: Principal = { owner: true, attended: true };
const PAGE = ["host:example.org"] as const;

function verdict(
  document: object,
  action: Action,
  resource: Resource,
  { who = OWNER, labels = PAGE as readonly ["host:example.org"] | [] } = {},
) {
  const config = wholeSchema.parse(document);
  return decide(policyRules(config, agentOf(config, "main"), {}), who, action, resource, labels);
}

describe("a turn that has read foreign words", () => {
  test.each<[Action, Resource, string]>([
    ["reach-host", { name: "evil.example" }, "ask"],
    ["reach-host", { name: "evil.example", isNamed: true }, "allow"],
    ["call-server", { name: "server.example" }, "ask"],
    ["call-server", { name: "server.example", isNamed: true }, "allow"],
    ["persist", { name: "AGENTS.md" }, "ask"],
    ["send-message", { name: "telegram:6" }, "ask"],
    ["send-message", { name: "telegram:1", isHere: true }, "allow"],
    ["read-private", { name: "MEMORY.md", isHere: true }, "allow"],
    ["read-private", { name: "MEMORY.md" }, "ask"],
  ])("%s %o: %s", (action, resource, expected) => {
    expect(verdict({}, action, resource)).toMatchObject({ verdict: expected });
    expect(verdict({}, action, resource, { labels: [] })).toEqual({ verdict: "allow", rule: "default" });
    const refused = expected === "ask" ? "deny" : expected;
    expect(verdict({ security: { flow: "refuse" } }, action, resource).verdict).toBe(refused);
    expect(verdict({ security: { flow: "off" } }, action, resource).verdict).toBe("allow");
    for (const who of [
      { owner: true, attended: false },
      { owner: false, attended: true },
    ]) {
      expect(verdict({}, action, resource, { who }).verdict).toBe(refused);
    }
  });

  test("may reach trusted hosts, and nothing else where there is an allowlist", () => {
    const egress = { trusted: ["*.example.org", "api.test:8443"] };
    const reach = (name: string, mode: string) =>
      verdict({ security: { egress: { ...egress, mode } } }, "reach-host", { name });
    expect(reach("a.example.org", "open")).toEqual({ verdict: "allow", rule: "security.egress.trusted" });
    expect(reach("example.org", "allowlist")).toEqual({ verdict: "deny", rule: "security.egress.mode" });
    expect(reach("other.test", "ask").verdict).toBe("ask");
  });
});

describe("commands", () => {
  test.each([
    [{ security: "full" }, "allow"],
    [{ security: "full", ask: "always" }, "ask"],
    [{ security: "deny" }, "deny"],
    [{ security: "allowlist", allowlist: ["cat", "curl", "host:api.test"] }, "allow"],
    [{ security: "allowlist", allowlist: ["cat"] }, "deny"],
    [{ security: "allowlist", ask: "on-miss", allowlist: ["cat"] }, "ask"],
    [{ security: "allowlist", allowlist: ["cat", "curl"] }, "deny"],
  ])("with %o: %s", (exec, expected) => {
    const script = { name: "exec", programs: ["cat", "curl"], hosts: ["api.test"] };
    expect(verdict({ tools: { exec } }, "run-command", script, { labels: [] }).verdict).toBe(expected);
  });

  test("whose programs are not told are not on any allowlist", () => {
    const exec = { security: "allowlist", allowlist: ["cat"] };
    expect(verdict({ tools: { exec } }, "run-command", { name: "exec", programs: undefined }).verdict).toBe("deny");
  });
});

describe("the tools of people who are not owners", () => {
  const OTHER = { owner: false, attended: true };
  const has = (tool: string, tools: object) => verdict({ tools }, "use-tool", { name: tool }, { who: OTHER }).verdict;

  test("are message and session_status, and what the configuration names", () => {
    expect(["message", "session_status", "read", "exec", "gateway"].map((tool) => has(tool, {}))).toEqual([
      ...["allow", "allow", "deny", "deny", "deny"],
    ]);
    expect(has("exec", { others: { allow: ["exec"] } })).toBe("allow");
    expect(has("exec", { others: { allow: ["group:fs"] } })).toBe("deny");
    expect(has("exec", { others: { allow: ["exec"] }, deny: ["exec"] })).toBe("deny");
    expect(has("message", { others: { deny: ["message"] } })).toBe("deny");
  });
});

test("a host is matched by name, port or subdomain, whatever its case", () => {
  expect(matchesHost(["Example.org"], "example.org:8443")).toBe(true);
  expect(matchesHost(["example.org:443"], "example.org")).toBe(false);
  expect(matchesHost(["*.example.org"], "a.b.example.org")).toBe(true);
  expect(matchesHost(["*.example.org"], "badexample.org")).toBe(false);
});
