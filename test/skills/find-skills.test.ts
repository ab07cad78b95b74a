import { expect, test } from "vitest";
import { findSkills } from "../../src/skills/find-skills.ts";

const listed = (...paths: string[]) => paths.map((path) => ({ path, etag: `e-${path}`, size: 1 }));

/** The folders that are skills, and what was passed over. */
function look(paths: string[], maxCandidates = 300) {
  const { found, passedOver } = findSkills(listed(...paths), maxCandidates);
  return {
    found: found.map(({ folder }) => folder),
    passedOver: passedOver.map(({ path, code }) => `${code} ${path}`),
  };
}

test("a folder with a SKILL.md is a skill with all the files in it, by folder", () => {
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

test("it may be six folders deep, and deeper ones are told of; a folder `skills` at the top does not count", () => {
  expect(look(["1/2/3/4/5/6/SKILL.md"])).toEqual({ found: ["1/2/3/4/5/6"], passedOver: [] });
  expect(look(["1/2/3/4/5/6/7/SKILL.md"])).toEqual({
    found: [],
    passedOver: ["too_deep 1/2/3/4/5/6/7/SKILL.md"],
  });
  expect(look(["skills/1/2/3/4/5/6/SKILL.md"]).found).toEqual(["skills/1/2/3/4/5/6"]);
  expect(look(["skills/SKILL.md"]).found).toEqual(["skills"]);
});

test("below a skill there is no other", () => {
  expect(look(["a/SKILL.md", "a/b/SKILL.md", "a/b/c/d/SKILL.md", "a-b/SKILL.md"])).toEqual({
    found: ["a", "a-b"],
    passedOver: [],
  });
});

test("a SKILL.md in the root itself makes it the only skill, and the others are told of", () => {
  const { found, passedOver } = findSkills(listed("SKILL.md", "a/SKILL.md", "b.txt"), 300);
  expect(found).toMatchObject([
    { folder: "", files: [{ path: "SKILL.md" }, { path: "a/SKILL.md" }, { path: "b.txt" }] },
  ]);
  expect(passedOver).toEqual([{ path: "a/SKILL.md", folder: "a", code: "below_root" }]);
});

test("hidden folders and node_modules are not looked into", () => {
  expect(look([".git/SKILL.md", "a/.b/SKILL.md", "node_modules/c/SKILL.md", "d/node_modules/SKILL.md"])).toEqual({
    found: [],
    passedOver: [],
  });
});

test("the file may be named in lower case, and SKILL.md goes before that", () => {
  const { found } = findSkills(listed("a/skill.md", "b/skill.md", "b/SKILL.md", "c/Skill.md", "d/myskill.md"), 300);
  expect(found.map(({ file }) => file.path)).toEqual(["a/skill.md", "b/SKILL.md", "c/Skill.md"]);
});

test("so many are looked at, by path, and the others are told of", () => {
  expect(look(["c/SKILL.md", "a/SKILL.md", "b/SKILL.md"], 2)).toEqual({
    found: ["a", "b"],
    passedOver: ["too_many c/SKILL.md"],
  });
});
