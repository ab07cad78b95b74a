import { describe, expect, it } from "vitest";
import type { PromptInput, StableInput } from "../../src/prompt/input.ts";
import { renderSystemPrompt } from "../../src/prompt/system-prompt.ts";
import { BARE, EVERY_TOOL, EVERYTHING } from "./inputs.ts";
import { chance, pick, randomFrom, subset } from "./random.ts";
import { TURNS } from "./turns.ts";

/** Another value for each field that may change between turns. */
const NEXT_TURN: { [field in Exclude<keyof PromptInput, keyof StableInput>]-?: PromptInput[field] } = {
  agentId: "helper",
  sessionKey: "agent:main:telegram:group:-100",
  model: "anthropic/claude-opus",
  thinking: "high",
  reasoning: "stream",
  reasoningTags: false,
  runtime: { host: "workerd", os: "linux", arch: "arm64", version: "2027-01-01" },
  channel: { name: "telegram", kind: "direct", replies: "automatic", capabilities: [] },
  voiceHint: "Speak slowly.",
  today: "Mon 2026-11-23",
  audience: { owner: false, place: "group" },
  groupPrompt: "A choir.",
  extraContext: "Something else.",
  reactions: "extensive",
  heartbeatPrompt: "Look around.",
  agentsRefresh: "## Red Lines\nNever post.",
  delegation: "suggest",
  truncationWarning: "off",
  truncationWarned: true,
};

/** Another value for each field above the boundary. */
const NEW_CONFIGURATION: { [field in Exclude<keyof StableInput, "mode">]-?: StableInput[field] } = {
  productName: "Isopod",
  tools: EVERY_TOOL.slice(1),
  toolNotes: [],
  completionWake: false,
  provider: { stablePrefix: "Another prefix." },
  skillsPrompt: "<available_skills></available_skills>",
  memoryCitations: "off",
  commands: [],
  modelAliases: [],
  workspace: { dir: "elsewhere", notes: [] },
  sandbox: { dir: "/box", access: "none", elevated: false, browser: false },
  docs: { url: "a", sourceUrl: "b", communityUrl: "c", skillsUrl: "d" },
  authorizedSenders: [],
  timezone: "Asia/Tokyo",
  wakesUnasked: true,
  outputDirectives: [],
  bootstrapFiles: [],
  fileWarnings: ["`soul.md` is not shown."],
};

const FIELDS_OF_A_TURN = Object.keys(NEXT_TURN) as (keyof typeof NEXT_TURN)[];

describe("the cache boundary", () => {
  it.each(FIELDS_OF_A_TURN)("holds: a new %s changes only what is below", (field) => {
    const warnedOnce: PromptInput = { ...EVERYTHING, truncationWarning: "once" };
    const before = renderSystemPrompt(warnedOnce).system;
    const after = renderSystemPrompt({ ...warnedOnce, [field]: NEXT_TURN[field] }).system;
    expect(after.stable).toBe(before.stable);
    expect(after.dynamic).not.toBe(before.dynamic);
  });

  it.each(Object.entries(NEW_CONFIGURATION))("allows a new %s to change what is above", (field, value) => {
    const before = renderSystemPrompt(EVERYTHING).system.stable;
    expect(renderSystemPrompt({ ...EVERYTHING, [field]: value }).system.stable).not.toBe(before);
  });

  it("keeps what is above byte-identical over 500 random configurations and turns", () => {
    const random = randomFrom(6);
    for (let i = 0; i < 500; i++) {
      const configured: PromptInput = { ...(chance(random) ? EVERYTHING : BARE), tools: subset(EVERY_TOOL, random) };
      configured.mode = pick(["full", "minimal", "none"], random);
      const turns = [0, 1, 2].map(() => {
        const changed = FIELDS_OF_A_TURN.filter(() => chance(random)).map((field) => [field, NEXT_TURN[field]]);
        return renderSystemPrompt({ ...configured, ...Object.fromEntries(changed) }).system.stable;
      });
      expect(new Set(turns).size).toBe(1);
    }
  });

  it("has the same stable layer in heartbeats and in owners' turns, so that prompt caches hold", () => {
    const [owner, heartbeat] = ["telegram-direct", "heartbeat"].map(
      (name) => TURNS.find((turn) => turn.name === name)!.input,
    );
    expect(renderSystemPrompt(heartbeat!).system.stable).toBe(renderSystemPrompt(owner!).system.stable);
  });

  it("does not depend on the order in which tools are given", () => {
    const reversed = { ...EVERYTHING, tools: EVERY_TOOL.toReversed() };
    expect(renderSystemPrompt(reversed)).toEqual(renderSystemPrompt(EVERYTHING));
  });
});
