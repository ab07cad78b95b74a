import type { Message } from "../../src/models/message.ts";
import { labelsInView } from "../../src/models/view-labels.ts";
import { decide, type PolicyRules } from "../../src/security/policy.ts";
import { quantile, rounded } from "./statistics.ts";

/** How many messages the view has. */
export const MESSAGES = 400;
const SAMPLES = 9;
const ROUNDS = 200;

/** What it costs to know what a private turn may do that has read no foreign words. */
export interface LabelsCost {
  /** Microseconds of CPU to look through the view once and to decide about one call. */
  micros: number;
  /** The same over writing the view as JSON once, as a request to a model does. */
  overJson: number;
}

const RULES: PolicyRules = {
  tools: [],
  others: { deny: [] },
  exec: { security: "full", ask: "off", programs: [], hosts: [] },
  flow: "ask",
  injection: "log",
  trustedHosts: [],
  privateHosts: [],
  egress: "open",
};

/** Looks through a private conversation and decides, as often as it takes to know what that costs. */
export function measureLabels(): LabelsCost {
  const view = Array.from({ length: MESSAGES }, (_, n) => messageOf(n));
  const principal = { owner: true, attended: true };
  const decideMs = medianMs(() => {
    const labels = labelsInView(view);
    if (decide(RULES, principal, "persist", { name: "AGENTS.md" }, labels).verdict !== "allow")
      throw new Error("asked");
  });
  const jsonMs = medianMs(() => JSON.stringify(view));
  return { micros: rounded(decideMs * 1000), overJson: rounded(decideMs / jsonMs) };
}

function messageOf(n: number): Message {
  const head = { id: `msg_${n}`, at: n };
  const text = "Words of a private conversation, and what a tool answered. ".repeat(5);
  if (n % 4 === 0) return { role: "user", ...head, text, sender: { id: "api", owner: true } };
  if (n % 4 === 2) return { role: "tool", ...head, callId: `call_${n}`, tool: "read", text, isError: false };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  return { role: "assistant", ...head, model: "bench/default", parts: [{ type: "text", text }], stop: "stop", usage };
}

function medianMs(work: () => void): number {
  const samples = Array.from({ length: SAMPLES }, () => {
    const before = process.cpuUsage();
    for (let round = 0; round < ROUNDS; round++) work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / ROUNDS;
  });
  return quantile(samples, 0.5);
}
