import { expect, test } from "vitest";
import { groupScanned, MAX_DESCRIPTION_CHARS, scannedSkills } from "../../../src/services/skills/scanned-skills.ts";
import type { Skill, SkillSource } from "../../../src/skills/skill.ts";
import { aSkill } from "../../skills/a-skill.ts";

function skill(name: string, source: SkillSource = "workspace", more: Partial<Skill> = {}): Skill {
  return aSkill(name, { source, ...more });
}

const NONE = { leftOut: [], quarantined: new Map<string, string>() };

test("the same skills give the same findings, in whatever order they were found", () => {
  const [a, b] = [skill("a", "managed"), skill("b")];
  expect(scannedSkills({ ...NONE, skills: [a, b] })).toEqual(scannedSkills({ ...NONE, skills: [b, a] }));
});

test("scanned skills are returned by kind", () => {
  const leftOut = { name: "x", source: "workspace" as const, location: "skills/x/SKILL.md", code: "no", reason: "No." };
  const quarantined = new Map([["skills/a/SKILL.md", "Changed."]]);
  const found = groupScanned(scannedSkills({ skills: [skill("a")], leftOut: [leftOut], quarantined }));
  expect(found.skills).toEqual([skill("a")]);
  expect(found.leftOut).toEqual([leftOut]);
  expect(found.quarantined).toEqual(quarantined);
});

test("a description that is too long is cut, and that is told", () => {
  const long = skill("long", "workspace", { description: "x".repeat(MAX_DESCRIPTION_CHARS + 1) });
  const { skills, notes } = groupScanned(scannedSkills({ ...NONE, skills: [long, skill("short")] }));
  expect(skills.map(({ description }) => description.length).sort((a, b) => b - a)[0]).toBe(MAX_DESCRIPTION_CHARS);
  expect([...notes.keys()]).toEqual(["skills/long/SKILL.md"]);
});

test("skills that do not fit together lose the weakest ones first, with the reason", () => {
  const big = { license: "x".repeat(60_000) };
  const skills = Array.from({ length: 100 }, (_, n) => skill(`s${n}`, n % 2 === 0 ? "plugin" : "workspace", big));
  const found = groupScanned(scannedSkills({ ...NONE, skills }));
  expect(found.skills.filter(({ source }) => source === "workspace")).toHaveLength(50);
  expect(found.skills.length).toBeLessThan(60);
  expect(found.skills.length + found.leftOut.length).toBe(100);
  expect(found.leftOut[0]).toMatchObject({ source: "plugin", code: "too_large" });
});

test("front matter that is too large for one skill leaves that one out and no other", () => {
  const huge = skill("huge", "workspace", { license: "x".repeat(70_000) });
  const found = groupScanned(scannedSkills({ ...NONE, skills: [huge, skill("small")] }));
  expect(found.skills.map(({ name }) => name)).toEqual(["small"]);
  expect(found.leftOut).toMatchObject([{ name: "huge", reason: expect.stringContaining("too large") }]);
});
