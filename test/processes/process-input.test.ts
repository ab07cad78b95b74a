import { expect, test } from "vitest";
import { agentOf } from "../../src/config/agents.ts";
import { ORIGINS } from "../../src/config/origins.ts";
import { processInput } from "../../src/processes/process-input.ts";
import type { Services } from "../../src/services/services.ts";
import { userMessage } from "../../src/session-store/messages.ts";
import type { ProcessPhase } from "../../src/session-store/process.ts";
import { principalOf } from "../../src/turn/principal.ts";
import { turnRules } from "../../src/turn/turn-policy.ts";
import { wholeSchema } from "../config/whole-schema.ts";

const RUN = `run_0123456789${"a".repeat(12)}bbbb${"c".repeat(26)}`;
const TARGET = { channel: "telegram", accountId: "default", kind: "direct", conversationId: "42" } as const;

/** The input of the run that an end wakes, whose command a person's run has started. */
function woken(phase: ProcessPhase = { status: "ended", at: 2000, text: "out" }) {
  const announceTo = { target: TARGET, owner: true, sender: "telegram:7", modelOverride: {}, timeoutSeconds: 60 };
  const process = { command: "sleep 1", startedAt: 1000, announceTo, phase };
  return processInput({ id: 1, runId: RUN, process }, announceTo, RUN);
}

test("tools that are denied to a person stay denied in the run that the end of a command wakes", () => {
  const input = woken();
  const message = userMessage(input, { acceptedAt: 0, at: 0 });
  const principal = principalOf([message], { target: TARGET, sessionKey: "agent:main:main" }, input.origin);
  const config = wholeSchema.parse({ tools: { bySender: { "telegram:7": { deny: ["exec"] } } } });
  const rules = turnRules({
    services: { config, channels: new Map() } as unknown as Services,
    agent: agentOf(config, "main"),
    session: { key: "agent:main:main", settings: {} },
    principal,
    origin: ORIGINS.process,
    target: TARGET,
    mode: "full",
  });
  expect(rules.tools.at(-1)).toMatchObject({ rule: "tools.bySender.telegram:7", policy: { deny: ["exec"] } });
});

test("an interruption says that what the command changed may be stored in part", () => {
  const { text } = woken({ status: "interrupted", at: 2000 });
  expect(text).toContain("was interrupted");
  expect(text).toContain("may be stored in part: look before you run it again");
});
