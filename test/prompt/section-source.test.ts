import { describe, expect, it } from "vitest";
import { contributionFor } from "../../src/prompt/contributions.ts";
import { reportPrompt } from "../../src/prompt/report.ts";
import type { Section } from "../../src/prompt/section.ts";
import { DYNAMIC_SECTIONS, renderSystemPrompt, STABLE_SECTIONS } from "../../src/prompt/system-prompt.ts";
import { BARE, bootstrapFile, type EVERYTHING } from "./inputs.ts";

const FILES = new Set(Object.keys(import.meta.glob("../../src/prompt/sections/*.ts")));

function sources(input: typeof EVERYTHING): Record<string, string> {
  const { sections } = reportPrompt(renderSystemPrompt(input), input);
  return Object.fromEntries(sections.map(({ name, source }) => [name, `${source.kind} ${source.name}`]));
}

describe("where a section's words come from", () => {
  it("is a file that is there, for every section in our own words", () => {
    for (const { name } of [...STABLE_SECTIONS, ...DYNAMIC_SECTIONS]) {
      expect(FILES).toContain(`../../src/prompt/sections/${name}.ts`);
    }
    expect(sources(BARE)).toMatchObject({
      safety: "section src/prompt/sections/safety.ts",
      "interaction-style": "section src/prompt/sections/interaction-style.ts",
    });
  });

  it("is the family of models where that speaks in its own", () => {
    const told = sources({ ...BARE, provider: contributionFor("openai/gpt-5.5") });
    expect(told).toMatchObject({
      "provider-prefix": "provider gpt-5",
      "interaction-style": "provider gpt-5",
      safety: "section src/prompt/sections/safety.ts",
    });
  });

  it("is the field of the configuration, the files of the workspace, skills, or the run where a section only shows those", () => {
    const bootstrapFiles = [bootstrapFile("AGENTS.md", "a"), bootstrapFile("SOUL.md", "s")];
    const shown = { timezone: "Asia/Tokyo", bootstrapFiles, extraContext: "A group of three." };
    const skills = { skillsPrompt: "<available_skills/>", tools: [{ name: "read", summary: "Reads." }] };
    expect(sources({ ...BARE, ...shown, ...skills })).toMatchObject({
      skills: "skills SKILL.md",
      "date-time": "configuration agents.defaults.userTimezone",
      "project-context": "workspace AGENTS.md, SOUL.md",
      "extra-context": "run extraContext",
    });
  });

  it("is the plugin that brought it", () => {
    const theirs: Section = { name: "weather/today", modes: ["full"], render: () => "It rains." };
    const prompt = renderSystemPrompt(BARE, { stable: [], dynamic: [theirs] });
    const { sections } = reportPrompt(prompt, BARE);
    expect(sections.at(-2)).toMatchObject({ name: "weather/today", source: { kind: "plugin", name: "weather" } });
  });
});
