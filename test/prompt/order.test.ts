import { describe, expect, it } from "vitest";
import { CACHE_BOUNDARY, promptText, renderSystemPrompt } from "../../src/prompt/system-prompt.ts";
import { BARE, EVERYTHING } from "./inputs.ts";

function order(input: typeof BARE): string[] {
  return renderSystemPrompt(input).sections.map(({ layer, name }) => `${layer} ${name}`);
}

describe("the order of prompt sections", () => {
  it("is fixed for the full prompt", () => {
    expect(order(EVERYTHING)).toEqual([
      "stable identity",
      "stable provider-prefix",
      "stable tooling",
      "stable tool-call-style",
      "stable execution-bias",
      "stable interaction-style",
      "stable safety",
      "stable control",
      "stable skills",
      "stable memory-recall",
      "stable self-update",
      "stable model-aliases",
      "stable workspace",
      "stable documentation",
      "stable sandbox",
      "stable authorized-senders",
      "stable date-time",
      "stable output-directives",
      "stable workspace-files",
      "stable project-context",
      "dynamic truncation-notice",
      "dynamic agents-refresh",
      "dynamic today",
      "dynamic messaging",
      "dynamic voice",
      "dynamic audience",
      "dynamic group-context",
      "dynamic extra-context",
      "dynamic reactions",
      "dynamic silent-replies",
      "dynamic heartbeats",
      "dynamic reasoning-format",
      "dynamic delegation",
      "dynamic provider-suffix",
      "dynamic runtime",
    ]);
  });

  it("is the same for the subset that sub-agents and jobs get", () => {
    expect(order({ ...EVERYTHING, mode: "minimal" })).toEqual([
      "stable identity",
      "stable provider-prefix",
      "stable tooling",
      "stable tool-call-style",
      "stable execution-bias",
      "stable safety",
      "stable skills",
      "stable workspace",
      "stable sandbox",
      "stable date-time",
      "stable workspace-files",
      "stable project-context",
      "dynamic truncation-notice",
      "dynamic agents-refresh",
      "dynamic today",
      "dynamic extra-context",
      "dynamic reasoning-format",
      "dynamic provider-suffix",
      "dynamic runtime",
    ]);
  });

  it("is the identity line alone in mode none", () => {
    const rendered = renderSystemPrompt({ ...EVERYTHING, mode: "none" });
    expect(promptText(rendered)).toBe("You are a personal assistant running inside OpenClaw.");
    expect(rendered.system.dynamic).toBe("");
  });

  it("has only unconditional sections for empty input", () => {
    expect(order(BARE)).toEqual([
      "stable identity",
      "stable tooling",
      "stable execution-bias",
      "stable interaction-style",
      "stable safety",
      "stable workspace",
      "stable date-time",
      "dynamic today",
      "dynamic runtime",
    ]);
  });

  it("has the boundary marker in exported text and never in a model's prompt", () => {
    const rendered = renderSystemPrompt(EVERYTHING);
    const { stable, dynamic } = rendered.system;
    expect(promptText(rendered).split(`\n\n${CACHE_BOUNDARY}\n\n`)).toEqual([stable, dynamic]);
    expect(stable + dynamic).not.toContain(CACHE_BOUNDARY);
  });

  it("ends with the runtime facts in one line", () => {
    const last = renderSystemPrompt(EVERYTHING).system.dynamic.split("\n").at(-1);
    expect(last).toBe(
      "Runtime: agent=main | session=agent:main:main | host=cloudflare-workers | os=linux | arch=x64 | " +
        "version=2026-10-15 | model=openai/gpt-5 | shell=just-bash | channel=discord | " +
        "capabilities=approvals,inline-buttons | thinking=low | reasoning=off (/reasoning switches what people see of it)",
    );
  });
});
