import { describe, expect, test } from "vitest";
import { agentOf } from "../../src/config/agents.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";
import { type GateInputs, gateFacts } from "../../src/skills/gate-facts.ts";

function facts(config: object = {}, around: Partial<GateInputs> & { secrets?: Record<string, string> } = {}) {
  const { secrets = {}, ...rest } = around;
  const parsed = wholeSchema.parse(config);
  return gateFacts(parsed, agentOf(parsed, "main"), {
    commands: ["curl"],
    secret: (name) => secrets[name],
    quarantined: new Map(),
    ...rest,
  });
}

describe("configuration values for gates", () => {
  test("a gate reads the effective configuration, defaults included", () => {
    const { configAt } = facts({ tools: { exec: { timeoutSec: 7 } }, agents: { list: [{ id: "main", name: "Pip" }] } });
    expect(configAt("tools.exec.timeoutSec")).toBe(7);
    expect(configAt("skills.load.watch")).toBe(true);
    expect(configAt("agents.list[0].name")).toBe("Pip");
    for (const path of ["browser.enabled", "skills.constructor", "agents.list[].name", "a..b", ""]) {
      expect([path, configAt(path)]).toEqual([path, undefined]);
    }
  });

  test("a reference to an unset secret reads as undefined", () => {
    const config = { skills: { entries: { gh: { apiKey: { source: "env", id: "GH_KEY" } } } } };
    expect(facts(config).configAt("skills.entries.gh.apiKey")).toBeUndefined();
    expect(facts(config, { secrets: { GH_KEY: "x" } }).configAt("skills.entries.gh.apiKey")).toBeTruthy();
  });

  test("a channel field reads from any of its accounts", () => {
    const config = { channels: { telegram: { accounts: { work: { botToken: { source: "env", id: "WORK_BOT" } } } } } };
    const { configAt } = facts(config, { secrets: { WORK_BOT: "x" } });
    expect(configAt("channels.telegram")).toBeTruthy();
    expect(configAt("channels.telegram.botToken")).toBeTruthy();
    expect(configAt("channels.telegram.nothing")).toBeUndefined();
    expect(configAt("channels.slack.botToken")).toBeUndefined();
  });
});

test("a gate does not reveal whether a reserved secret is set", () => {
  const { hasEnv } = facts({}, { secrets: { ISOPOD_TOKEN: "x", OPENAI_API_KEY: "x", GH_TOKEN: "x" } });
  expect([hasEnv("ISOPOD_TOKEN"), hasEnv("OPENAI_API_KEY"), hasEnv("GH_TOKEN"), hasEnv("OTHER")]).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test("connected nodes add their operating systems and commands", () => {
  const { os, commands } = facts({}, { nodes: { os: ["darwin"], commands: ["osascript"] } });
  expect([...os]).toEqual(["linux", "darwin"]);
  expect([...commands]).toEqual(["curl", "osascript"]);
  expect([...facts().os]).toEqual(["linux"]);
});
