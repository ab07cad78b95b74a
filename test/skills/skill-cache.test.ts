import { expect, test } from "vitest";
import { type CachedSkill, SkillCache } from "../../src/skills/skill-cache.ts";

const entry = (reason: string): CachedSkill => ({
  kind: "invalid",
  leftOut: { name: "a", source: "managed", location: "l", code: "c", reason },
});

test("the skill cache returns only the exact version of a file", () => {
  const cache = new SkillCache();
  cache.set("skills/a/SKILL.md", "e1", 7, entry("one"));
  expect(cache.get("skills/a/SKILL.md", "e1", 7)).toEqual(entry("one"));
  expect(cache.get("skills/a/SKILL.md", "e2", 7)).toBeUndefined();
  expect(cache.get("skills/a/SKILL.md", "e1", 8)).toBeUndefined();
  expect(cache.get("skills/b/SKILL.md", "e1", 7)).toBeUndefined();
});

test("the skill cache is bounded and evicts the least recently used entry", () => {
  const cache = new SkillCache(1_000);
  cache.set("a", "e", 1, entry("x".repeat(300)));
  cache.set("b", "e", 1, entry("x".repeat(300)));
  cache.get("a", "e", 1);
  cache.set("c", "e", 1, entry("x".repeat(300)));
  expect(["a", "b", "c"].map((place) => cache.get(place, "e", 1) !== undefined)).toEqual([true, false, true]);
});

test("an entry above the cache's size is not stored, and a repeated one counts once", () => {
  const cache = new SkillCache(1_000);
  cache.set("a", "e", 1, entry("small"));
  cache.set("b", "e", 1, entry("x".repeat(2_000)));
  expect(cache.get("b", "e", 1)).toBeUndefined();
  for (let times = 0; times < 50; times++) cache.set("c", "e", 1, entry("again"));
  expect(cache.get("a", "e", 1)).toBeDefined();
});
