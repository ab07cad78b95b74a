import { describe, expect, it } from "vitest";
import { byteLength } from "../../src/lib/text.ts";
import type { PromptInput } from "../../src/prompt/input.ts";
import { reportPrompt } from "../../src/prompt/report.ts";
import { promptText, renderSystemPrompt } from "../../src/prompt/system-prompt.ts";
import { BARE, bootstrapFile, EVERYTHING } from "./inputs.ts";

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

describe("the prompt renderer", () => {
  it("gives the same bytes for the same input, and does not change the input", () => {
    const input = frozen(structuredClone(EVERYTHING));
    const first = renderSystemPrompt(input);
    expect(renderSystemPrompt(input)).toEqual(first);
    expect(renderSystemPrompt(structuredClone(input))).toEqual(first);
    expect(input).toEqual(EVERYTHING);
  });

  it("stays under 14,000 characters with every tool and section, without project context", () => {
    const { stable, dynamic } = renderSystemPrompt({ ...EVERYTHING, bootstrapFiles: [] }).system;
    expect(stable.length + dynamic.length).toBeLessThanOrEqual(14_000);
  });

  it("is smaller in minimal mode", () => {
    const input: PromptInput = { ...EVERYTHING, bootstrapFiles: [] };
    const full = promptText(renderSystemPrompt(input)).length;
    expect(promptText(renderSystemPrompt({ ...input, mode: "minimal" })).length).toBeLessThan(full * 0.75);
  });

  it("leaves no gap for an absent section or at either end", () => {
    for (const mode of ["full", "minimal"] as const) {
      for (const input of [BARE, EVERYTHING]) {
        const text = promptText(renderSystemPrompt({ ...input, mode }));
        expect(text).not.toMatch(/\n{3}|^\s|\s$/);
      }
    }
  });
});

describe("the prompt report", () => {
  it("has section sizes that add up to the layers and the total", () => {
    const rendered = renderSystemPrompt(EVERYTHING);
    const report = reportPrompt(rendered, EVERYTHING);
    for (const [side, layer] of [
      ["above", "stable"],
      ["below", "dynamic"],
    ] as const) {
      const sections = report.sections.filter((section) => section.layer === side);
      const joiners = 2 * (sections.length - 1);
      expect(sections.reduce((sum, { chars }) => sum + chars, joiners)).toBe(rendered.system[layer].length);
      expect(sections.reduce((sum, { bytes }) => sum + bytes, joiners)).toBe(byteLength(rendered.system[layer]));
      expect(report[side].chars).toBe(rendered.system[layer].length);
    }
    expect(report.total.chars).toBe(report.above.chars + report.below.chars);
    expect(report.total.bytes).toBe(report.above.bytes + report.below.bytes);
  });

  it("has the size of each bootstrap file and of its part in the prompt", () => {
    const cut = { ...bootstrapFile("MEMORY.md", "記憶"), rawChars: 30_000, truncated: true };
    const absent = { ...bootstrapFile("USER.md", ""), missing: true };
    const input = { ...BARE, bootstrapFiles: [cut, absent] };
    expect(reportPrompt(renderSystemPrompt(input), input).files).toEqual([
      { path: "MEMORY.md", rawChars: 30_000, injectedChars: 2, tokens: 2, truncated: true, missing: false },
      { path: "USER.md", rawChars: 0, injectedChars: 0, tokens: 0, truncated: false, missing: true },
    ]);
  });
});
