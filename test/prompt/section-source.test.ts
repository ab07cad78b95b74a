import { describe, expect, it } from "vitest";
import { contributionFor } from "../../src/prompt/contributions.ts";
import { reportPrompt } from "../../src/prompt/report.ts";
import type { Section } from "../../src/prompt/section.ts";
import { sectionSource } from "../../src/prompt/section-source.ts";
import { DYNAMIC_SECTIONS, renderSystemPrompt, STABLE_SECTIONS } from "../../src/prompt/system-prompt.ts";
import { BARE, bootstrapFile, type EVERYTHING } from "./inputs.ts";

const FILES = import.meta.glob<Record<string, Section | undefined>>("../../src/prompt/sections/*.ts", { eager: true });

function sources(input: typeof EVERYTHING): Record<string, string> {
  const { sections } = reportPrompt(renderSystemPrompt(input), input);
  return Object.fromEntries(sections.map(({ name, source }) => [name, `${source.kind} ${source.name}`]));
}

describe("the source of a prompt section", () => {
  it("is the file that exports it, for every section in our own words", () => {
    const found = [...STABLE_SECTIONS, ...DYNAMIC_SECTIONS].flatMap((section) => {
      const source = sectionSource(section.name, BARE);
      return source.kind === "section" ? [{ section, path: source.name }] : [];
    });
    expect(found.length).toBeGreaterThan(20);
    for (const { section, path } of found) {
      expect(Object.values(FILES[`../../${path}`] ?? {}), `${section.name} in ${path}`).toContain(section);
    }
    expect(sources(BARE)).toMatchObject({
      safety: "section src/prompt/sections/conduct.ts",
      "interaction-style": "section src/prompt/sections/conduct.ts",
    });
  });

  it("is the model family's contribution where that replaces the section", () => {
    const told = sources({ ...BARE, provider: contributionFor("openai/gpt-5.5") });
    expect(told).toMatchObject({
      "provider-prefix": "provider gpt-5",
      "interaction-style": "provider gpt-5",
      safety: "section src/prompt/sections/conduct.ts",
    });
  });

  it("is the configuration field, the workspace files, the skills or the run where a section only shows those", () => {
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

  it("is the plugin that added the section", () => {
    const theirs: Section = { name: "weather/today", modes: ["full"], render: () => "It rains." };
    const prompt = renderSystemPrompt(BARE, { stable: [], dynamic: [theirs] });
    const { sections } = reportPrompt(prompt, BARE);
    expect(sections.at(-2)).toMatchObject({ name: "weather/today", source: { kind: "plugin", name: "weather" } });
  });
});
