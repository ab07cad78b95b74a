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

describe("what the configuration says at a path", () => {
  test("is what is in force, with its defaults", () => {
    const { configAt } = facts({ tools: { exec: { timeoutSec: 7 } }, agents: { list: [{ id: "main", name: "Pip" }] } });
    expect(configAt("tools.exec.timeoutSec")).toBe(7);
    expect(configAt("skills.load.watch")).toBe(true);
    expect(configAt("agents.list[0].name")).toBe("Pip");
    for (const path of ["browser.enabled", "skills.constructor", "agents.list[].name", "a..b", ""]) {
      expect([path, configAt(path)]).toEqual([path, undefined]);
    }
  });

  test("is nothing where it names a secret that is not set", () => {
    const config = { skills: { entries: { gh: { apiKey: { source: "env", id: "GH_KEY" } } } } };
    expect(facts(config).configAt("skills.entries.gh.apiKey")).toBeUndefined();
    expect(facts(config, { secrets: { GH_KEY: "x" } }).configAt("skills.entries.gh.apiKey")).toBeTruthy();
  });

  test("is that of any account of a channel where OpenClaw has it beside the accounts", () => {
    const config = { channels: { telegram: { accounts: { work: { botToken: { source: "env", id: "WORK_BOT" } } } } } };
    const { configAt } = facts(config, { secrets: { WORK_BOT: "x" } });
    expect(configAt("channels.telegram")).toBeTruthy();
    expect(configAt("channels.telegram.botToken")).toBeTruthy();
    expect(configAt("channels.telegram.nothing")).toBeUndefined();
    expect(configAt("channels.slack.botToken")).toBeUndefined();
  });
});

test("no skill learns whether a secret of the Worker's own is there", () => {
  const { hasEnv } = facts({}, { secrets: { ISOPOD_TOKEN: "x", OPENAI_API_KEY: "x", GH_TOKEN: "x" } });
  expect([hasEnv("ISOPOD_TOKEN"), hasEnv("OPENAI_API_KEY"), hasEnv("GH_TOKEN"), hasEnv("OTHER")]).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test("connected nodes add their systems and commands to ours", () => {
  const { os, commands } = facts({}, { nodes: { os: ["darwin"], commands: ["osascript"] } });
  expect([...os]).toEqual(["linux", "darwin"]);
  expect([...commands]).toEqual(["curl", "osascript"]);
  expect([...facts().os]).toEqual(["linux"]);
});
