import { describe, expect, inject, test } from "vitest";
import { parseSkillFile } from "../../src/skills/parse-skill.ts";
import { compareSkill, type ExpectedSkill } from "../eval/compare-skill.ts";

const folder = `${inject("modelServer")}/fixtures/skills`;
const lines = inject("fixtures") ? (await (await fetch(`${folder}/expected.jsonl`)).text()).trim().split("\n") : [];
const skills = lines.map((line): ExpectedSkill => JSON.parse(line));

async function bytesOf({ path }: ExpectedSkill): Promise<Uint8Array> {
  const response = await fetch(`${folder}/files/${path.split("/").map(encodeURIComponent).join("/")}`);
  expect(response.status, path).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

describe.skipIf(!inject("fixtures"))("published skills", () => {
  test("at least 99.5 % of published skills are parsed as OpenClaw parses them", async () => {
    expect(skills.length).toBeGreaterThan(200);
    const disagreements = [];
    for (const skill of skills) disagreements.push(...compareSkill(skill, await bytesOf(skill)));
    const disagreeing = new Set(disagreements.map(({ path }) => path));
    expect(disagreeing.size / skills.length, JSON.stringify(disagreements, null, 2)).toBeLessThanOrEqual(0.005);
  });

  test("published skills load exactly if OpenClaw loads them, under the same name", async () => {
    const at = { source: "workspace", location: "l", baseDir: "b", etag: "e", folder: "its-folder" } as const;
    for (const skill of skills) {
      const { loads, name, description } = skill.expected;
      const parsed = await parseSkillFile(await bytesOf(skill), at);
      const isUsed = loads && typeof description === "string" && description.trim() !== "";
      expect(parsed.kind, skill.path).toBe(isUsed ? "skill" : "invalid");
      if (parsed.kind === "skill") expect(parsed.skill.name, skill.path).toBe(name ?? "its-folder");
    }
  });
});
