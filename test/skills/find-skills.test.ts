import { expect, test } from "vitest";
import { findSkills } from "../../src/skills/find-skills.ts";

const listed = (...paths: string[]) => paths.map((path) => ({ path, etag: `e-${path}`, size: 1 }));

/** The folders that are skills, and what was passed over. */
function look(paths: string[], maxCandidates = 300) {
  const { found, skipped } = findSkills(listed(...paths), maxCandidates);
  return {
    found: found.map(({ folder }) => folder),
    skipped: skipped.map(({ path, code }) => `${code} ${path}`),
  };
}

test("a folder with a SKILL.md is a skill with all its files", () => {
  const { found } = findSkills(listed("b/SKILL.md", "README.md", "a/x/y.txt", "a/SKILL.md", "ab/z"), 300);
  expect(found).toEqual([
    {
      folder: "a",
      file: { path: "a/SKILL.md", etag: "e-a/SKILL.md", size: 1 },
      files: [
        { path: "x/y.txt", etag: "e-a/x/y.txt", size: 1 },
        { path: "SKILL.md", etag: "e-a/SKILL.md", size: 1 },
      ],
    },
    {
      folder: "b",
      file: { path: "b/SKILL.md", etag: "e-b/SKILL.md", size: 1 },
      files: [{ path: "SKILL.md", etag: "e-b/SKILL.md", size: 1 }],
    },
  ]);
});

test("a SKILL.md may be six folders deep below `skills`, and deeper ones are reported", () => {
  expect(look(["1/2/3/4/5/6/SKILL.md"])).toEqual({ found: ["1/2/3/4/5/6"], skipped: [] });
  expect(look(["1/2/3/4/5/6/7/SKILL.md"])).toEqual({
    found: [],
    skipped: ["too_deep 1/2/3/4/5/6/7/SKILL.md"],
  });
  expect(look(["skills/1/2/3/4/5/6/SKILL.md"]).found).toEqual(["skills/1/2/3/4/5/6"]);
  expect(look(["skills/SKILL.md"]).found).toEqual(["skills"]);
});

test("a SKILL.md below another skill is not a skill", () => {
  expect(look(["a/SKILL.md", "a/b/SKILL.md", "a/b/c/d/SKILL.md", "a-b/SKILL.md"])).toEqual({
    found: ["a", "a-b"],
    skipped: [],
  });
});

test("a SKILL.md in the root makes it the only skill, and the others are reported", () => {
  const { found, skipped } = findSkills(listed("SKILL.md", "a/SKILL.md", "b.txt"), 300);
  expect(found).toMatchObject([
    { folder: "", files: [{ path: "SKILL.md" }, { path: "a/SKILL.md" }, { path: "b.txt" }] },
  ]);
  expect(skipped).toEqual([{ path: "a/SKILL.md", folder: "a", code: "below_root" }]);
});

test("hidden folders and node_modules have no skills", () => {
  expect(look([".git/SKILL.md", "a/.b/SKILL.md", "node_modules/c/SKILL.md", "d/node_modules/SKILL.md"])).toEqual({
    found: [],
    skipped: [],
  });
});

test("skill.md in lower case is found, and SKILL.md takes precedence", () => {
  const { found } = findSkills(listed("a/skill.md", "b/skill.md", "b/SKILL.md", "c/Skill.md", "d/myskill.md"), 300);
  expect(found.map(({ file }) => file.path)).toEqual(["a/skill.md", "b/SKILL.md", "c/Skill.md"]);
});

test("skills beyond the limit of candidates are reported", () => {
  expect(look(["c/SKILL.md", "a/SKILL.md", "b/SKILL.md"], 2)).toEqual({
    found: ["a", "b"],
    skipped: ["too_many c/SKILL.md"],
  });
});
