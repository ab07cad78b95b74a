import { expect, test } from "vitest";
import { agentOf } from "../../../src/config/agents.ts";
import { wholeSchema } from "../../../src/services/config-schema.ts";
import { skillFolder } from "../../../src/services/skills/skill-folder.ts";
import { skillsOverview } from "../../../src/services/skills/skills-overview.ts";
import { textsRoot } from "../../../src/skills/roots.ts";
import type { LeftOut, Skill } from "../../../src/skills/skill.ts";
import { aSkill, requiring, skillWith } from "../../skills/a-skill.ts";

interface Given {
  skills: Skill[];
  config?: object;
  secrets?: Record<string, string>;
  leftOut?: LeftOut[];
  quarantined?: Record<string, string>;
}

function report({ skills, config = {}, secrets = {}, leftOut = [], quarantined = {} }: Given) {
  const parsed = wholeSchema.parse(config);
  return skillsOverview(
    { skills, leftOut, quarantined: new Map(Object.entries(quarantined)) },
    agentOf(parsed, "main"),
    {
      config: parsed,
      commands: ["curl"],
      secret: (name) => secrets[name],
      commandOf: (eligible) => new Map(eligible.map(({ location, name }) => [location, `c_${name}`])),
    },
  );
}

test("a skill that may be used has its cost, its command and what its file says", () => {
  const skill = skillWith("weather", { emoji: "☔", homepage: "https://w.test" }, { license: "MIT", issues: ["Odd."] });
  const { skills, totals, warnings } = report({ skills: [skill] });
  expect(skills).toEqual([
    {
      name: "weather",
      source: "workspace",
      location: "skills/weather/SKILL.md",
      eligible: true,
      shown: true,
      tokens: expect.any(Number),
      description: "Does weather.",
      version: "sha256:0123456789abcdef",
      size: 100,
      baseDir: "/workspace/skills/weather",
      key: "weather",
      command: "c_weather",
      emoji: "☔",
      homepage: "https://w.test",
      license: "MIT",
      env: [],
      installers: [],
      warnings: ["Odd."],
    },
  ]);
  expect(totals).toMatchObject({ found: 1, eligible: 1, shown: 1, cut: 0 });
  expect(totals.tokens).toBeGreaterThanOrEqual(skills[0]!.tokens);
  expect(warnings).toEqual([]);
});

test("the overview of skills lists every skill with what keeps it out, by name and precedence", () => {
  const left = (name: string, code: string, source: LeftOut["source"]): LeftOut => {
    return { name, source, location: `skills://${source}/${name}/SKILL.md`, code, reason: "Because." };
  };
  const { skills, totals } = report({
    skills: [aSkill("b"), aSkill("a"), aSkill("q"), aSkill("off")],
    leftOut: [left("a", "shadowed", "bundled"), left("broken", "bad_front_matter", "managed")],
    quarantined: { "skills/q/SKILL.md": "It was changed." },
    config: { skills: { entries: { off: { enabled: false } }, limits: { maxSkillsInPrompt: 1 } } },
  });
  expect(skills.map(({ name, eligible, code, shown }) => [name, eligible, code, shown])).toEqual([
    ["a", true, undefined, true],
    ["a", false, "shadowed", false],
    ["b", true, undefined, false],
    ["broken", false, "bad_front_matter", false],
    ["off", false, "disabled", false],
    ["q", false, "quarantined", false],
  ]);
  expect(skills[2]?.cut).toContain("maxSkillsInPrompt");
  expect(skills[5]?.reason).toBe("It was changed.");
  expect(totals).toMatchObject({ found: 6, eligible: 2, shown: 1, cut: 1 });
});

test("the overview of skills names the secrets of a skill and contains no value", () => {
  const secrets = { GH_SECRET: "hunter2-hunter2", PLAIN: "hunter2-hunter2", OPENAI_API_KEY: "hunter2-hunter2" };
  const { skills, warnings, unset } = report({
    skills: [
      skillWith("gh", { ...requiring({ env: ["PLAIN", "OPENAI_API_KEY"] }), always: true, primaryEnv: "GH_TOKEN" }),
      skillWith("other", { primaryEnv: "GH_TOKEN" }),
    ],
    secrets,
    config: {
      skills: {
        entries: {
          gh: { apiKey: { source: "env", id: "GH_SECRET" }, env: { LOST: { source: "env", id: "NOT_THERE" } } },
          other: { apiKey: { source: "env", id: "PLAIN" } },
        },
      },
    },
  });
  expect(skills[0]?.env).toEqual([
    { name: "LOST", set: false },
    { name: "GH_TOKEN", set: true },
  ]);
  expect(skills[0]?.warnings).toEqual([
    "PLAIN is set, and its commands do not see it: name it in skills.entries.gh.env.PLAIN.",
  ]);
  expect(warnings).toEqual(["'other' does not get GH_TOKEN from PLAIN: 'gh' has it from GH_SECRET."]);
  expect(unset).toEqual(["NOT_THERE"]);
  expect(JSON.stringify([skills, warnings])).not.toContain("hunter2");
});

test("the overview of skills says why installers do not run here", () => {
  const install = [
    { kind: "brew", formula: "gh", bins: ["gh"], label: "Install gh" },
    { kind: "download", url: "https://x.test/a.zip", os: ["darwin"] },
    { kind: "node", package: "curl-cli", bins: ["curl"] },
  ] as const;
  const { skills } = report({ skills: [skillWith("gh", { install })] });
  expect(skills[0]?.installers).toEqual([
    { kind: "brew", what: "gh", label: "Install gh", bins: ["gh"], reason: expect.stringContaining("Homebrew") },
    { kind: "download", what: "https://x.test/a.zip", bins: [], reason: expect.stringContaining("darwin") },
    { kind: "node", what: "curl-cli", bins: ["curl"], reason: expect.stringContaining("Nothing has to be installed") },
  ]);
});

test("the folder of a skill has its files and its text, and nothing of its neighbours", async () => {
  const place = { source: "extra", address: "skills://extra/x/", mount: "/skills/extra/x/" } as const;
  const root = textsRoot({ "a/SKILL.md": "# A", "a/run.sh": "ls", "ab/SKILL.md": "# AB", "b/notes.md": "x" }, place);
  const folder = await skillFolder("skills://extra/x/a/SKILL.md", [root]);
  expect(folder).toMatchObject({ files: [{ path: "SKILL.md" }, { path: "run.sh", size: 2 }], more: 0, text: "# A" });
  const gone = await skillFolder("skills://extra/x/gone/SKILL.md", [root]);
  expect(gone).toEqual({ files: [], more: 0, seen: expect.any(String), text: undefined });
  const changed = textsRoot({ "a/SKILL.md": "# A", "a/run.sh": "la" }, place);
  expect((await skillFolder("skills://extra/x/a/SKILL.md", [changed]))?.seen).not.toBe(folder?.seen);
  expect(await skillFolder("skills://extra/x/", [root])).toBeUndefined();
  expect(await skillFolder("skills://elsewhere/SKILL.md", [root])).toBeUndefined();
});
