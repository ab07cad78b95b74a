import { expect, test } from "vitest";
import type { SkillLine } from "../../src/client/wire.ts";
import { skillsMatching, splitFrontMatter, typedOrigin } from "../../src/web/skills-client.ts";

const line = (name: string, more: Partial<SkillLine> = {}): SkillLine => {
  const place = { source: "workspace", location: `skills/${name}/SKILL.md` } as const;
  return { name, ...place, eligible: true, shown: true, tokens: 1, ...more };
};

test("a search finds skills in which every word occurs, wherever it is said", () => {
  const skills = [line("weather", { description: "Rain and 天气" }), line("rain-gauge", { reason: "It lacks curl." })];
  const found = (search: string) => skillsMatching(skills, search).map(({ name }) => name);
  expect(found("")).toEqual(["weather", "rain-gauge"]);
  expect(found("RAIN")).toEqual(["weather", "rain-gauge"]);
  expect(found("rain curl")).toEqual(["rain-gauge"]);
  expect(found(" 天气 workspace")).toEqual(["weather"]);
  expect(found("snow")).toEqual([]);
});

test("front matter and text are told apart, with any line ends; without front matter all of it is text", () => {
  expect(splitFrontMatter("---\nname: a\n---\n\n# A\n\n---\nb")).toEqual({ front: "name: a", body: "# A\n\n---\nb" });
  expect(splitFrontMatter("\uFEFF---\r\nname: a\r\n---\r\n# A")).toEqual({ front: "name: a", body: "# A" });
  expect(splitFrontMatter("# A\n---\nb\n---")).toEqual({ front: "", body: "# A\n---\nb\n---" });
});

test("what is typed is an address, or a name with its version behind the last @", () => {
  expect(typedOrigin("https://example.com/a@1.zip")).toEqual({ kind: "url", url: "https://example.com/a@1.zip" });
  expect(typedOrigin("times")).toEqual({ kind: "slug", slug: "times" });
  expect(typedOrigin("@ann/times")).toEqual({ kind: "slug", slug: "@ann/times" });
  expect(typedOrigin("@ann/times@1.2.0")).toEqual({ kind: "slug", slug: "@ann/times", version: "1.2.0" });
});
