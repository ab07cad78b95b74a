import { describe, expect, it } from "vitest";
import { contributionFor } from "../../src/prompt/contributions.ts";
import { renderSystemPrompt } from "../../src/prompt/system-prompt.ts";
import { EVERYTHING } from "./inputs.ts";

/** What OpenClaw's documentation requires for the GPT-5 family, and the text that fulfils it. */
const DUTIES: [duty: string, said: RegExp][] = [
  ["anchors the persona", /Stay the persona of SOUL\.md and IDENTITY\.md/],
  ["keeps output short", /no summary of what you just said/],
  ["disciplines tool use", /never guess a path, an id or a flag/],
  ["looks things up in parallel", /one reply with parallel calls/],
  ["covers every deliverable", /do not end before each is done/],
  ["verifies", /Verify the outcome itself/],
  ["handles missing context", /Missing context: look for it/],
  ["keeps terminals clean", /no editors, pagers or prompts/],
];

function promptOf(model: string): string {
  const input = { ...EVERYTHING, model, provider: contributionFor(model) };
  return renderSystemPrompt(input).system.stable;
}

describe("a provider's prompt contribution", () => {
  it.each(DUTIES)("for the GPT-5 family: %s", (_, said) => {
    expect(promptOf("openai/gpt-5.5")).toMatch(said);
  });

  it("applies to the family under any provider's name, and to no other model", () => {
    for (const ref of [
      "openai/gpt-5",
      "openrouter/openai/gpt-5-mini",
      "custom/GPT-6.1-sol",
      "azure/gpt5-mini",
      "bedrock/openai.gpt-5.4",
    ])
      expect(contributionFor(ref).stablePrefix, ref).toContain("Working Mode");
    for (const ref of [
      "openai/gpt-4o",
      "anthropic/claude-sonnet-5",
      "openai/gpt-50",
      "openai/gpt-4.5",
      "custom/my-gpt-5",
    ])
      expect(contributionFor(ref), ref).toEqual({});
  });

  it("replaces the three replaceable sections, without a duplicate heading", () => {
    const headings = promptOf("openai/gpt-5").match(/^## .*/gm) ?? [];
    expect(new Set(headings).size).toBe(headings.length);
    expect(headings).toContain("## Execution Bias");
  });

  it("does not change the safety section", () => {
    expect(promptOf("openai/gpt-5")).toContain("Never weaken or work around a safeguard");
  });
});
