import { expect, test } from "vitest";
import { BUNDLED_SKILLS } from "../../src/skills/bundled-skills.ts";
import { discover } from "../../src/skills/discover.ts";
import { bundledRoot } from "../../src/skills/roots.ts";
import { SkillCache } from "../../src/skills/skill-cache.ts";

const written = import.meta.glob("../../src/skills/bundled/**/*", { query: "?raw", import: "default" });

test("the list of bundled skills has exactly the files in its folder", () => {
  const listed = BUNDLED_SKILLS.flatMap(({ name, files }) => Object.keys(files).map((path) => `${name}/${path}`));
  const there = Object.keys(written).map((path) => path.replace("../../src/skills/bundled/", ""));
  expect(listed.toSorted()).toEqual(there.toSorted());
});

test("each bundled file is listed with its own text", async () => {
  for (const { name, files } of BUNDLED_SKILLS) {
    for (const [path, text] of Object.entries(files)) {
      expect([name, path, text === (await written[`../../src/skills/bundled/${name}/${path}`]?.())]).toEqual([
        name,
        path,
        true,
      ]);
    }
  }
});

test("every bundled skill parses without issues and is named like its folder", async () => {
  const limits = { maxCandidatesPerRoot: 300, maxSkillsLoadedPerSource: 200, maxSkillFileBytes: 256_000 };
  const { skills, leftOut } = await discover([bundledRoot(BUNDLED_SKILLS)], limits, new SkillCache());
  expect(leftOut).toEqual([]);
  expect(skills.map(({ name, location, issues }) => ({ name, location, issues }))).toEqual(
    BUNDLED_SKILLS.map(({ name }) => ({ name, location: `skills://bundled/${name}/SKILL.md`, issues: undefined })),
  );
});

test("the descriptions of all bundled skills have less than 1,500 characters", () => {
  const descriptions = BUNDLED_SKILLS.map(({ files }) => /^description: (".*")$/m.exec(files["SKILL.md"] ?? "")?.[1]);
  const lengths = descriptions.map((quoted) => JSON.parse(quoted!).length);
  expect(Math.max(...lengths)).toBeLessThan(260);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(1_500);
});

test("no bundled skill refers to a missing file or outside its folder", () => {
  for (const { name, files } of BUNDLED_SKILLS) {
    const named = Object.values(files).flatMap((text) =>
      [...text.matchAll(/\{baseDir\}\/([\w./-]*\w)/g)].map(([, path = ""]) => path),
    );
    expect([name, named.filter((path) => files[path] === undefined && !isFolder(files, path))]).toEqual([name, []]);
  }
});

function isFolder(files: Readonly<Record<string, string>>, path: string): boolean {
  return Object.keys(files).some((one) => one.startsWith(`${path}/`));
}
