import { describe, expect, test } from "vitest";
import { importOpenClaw } from "../../../src/migrate/openclaw/import-openclaw.ts";
import { wholeSchema } from "../../../src/services/config-schema.ts";

function ref(id: string) {
  return { source: "env", id };
}

/** Where OpenClaw fills in a variable. */
function variable(name: string): string {
  return `\${${name}}`;
}

describe("the skills of an openclaw.json", () => {
  function imported(skills: object, more: object = {}) {
    return importOpenClaw(JSON.stringify({ skills, ...more }), wholeSchema);
  }

  test("come over with their switches, lists and limits", () => {
    const skills = {
      allowBundled: ["weather"],
      load: { extraDirs: ["shared/skills"], watch: false, watchDebounceMs: 100 },
      limits: { maxSkillsInPrompt: 20 },
      entries: { weather: { enabled: false, config: { unit: "celsius" } } },
    };
    const agents = {
      defaults: { skills: ["weather"] },
      list: [{ id: "a", skills: [], skillsLimits: { maxSkillsPromptChars: 900 } }],
    };
    const report = imported(skills, { agents });
    expect(report.document).toEqual({ skills, agents });
    expect([...report.refused, ...report.unknown, ...report.changed]).toEqual([]);
  });

  test("come over without what was secret, and with the way to store each value", () => {
    const entries = {
      gh: { apiKey: "hunter2hunter2", env: { REGION: "hunter2", LEVEL: 3, GH_HOST: variable("GH_HOST_NAME") } },
      gone: { apiKey: { source: "file", provider: "f", id: "/x" } },
    };
    const { document, refused, changed } = imported({ entries });
    expect(document).toEqual({
      skills: {
        entries: {
          gh: {
            apiKey: ref("SKILL_GH_API_KEY"),
            env: { REGION: ref("SKILL_GH_REGION"), LEVEL: ref("SKILL_GH_LEVEL"), GH_HOST: ref("GH_HOST_NAME") },
          },
          gone: { apiKey: ref("SKILL_GONE_API_KEY") },
        },
      },
    });
    expect(refused.map(({ path }) => path).sort()).toEqual([
      "skills.entries.gh.apiKey",
      "skills.entries.gh.env.LEVEL",
      "skills.entries.gh.env.REGION",
      "skills.entries.gone.apiKey",
    ]);
    for (const { hint } of refused) expect(hint).toMatch(/wrangler secret put SKILL_/);
    expect(changed).toMatchObject([
      { path: "skills.entries.gh.env.GH_HOST" },
      { path: "skills.entries.gh", why: expect.stringContaining("skills.entries.gh.hosts") },
      { path: "skills.entries.gone", why: expect.stringContaining("you are asked") },
    ]);
    expect(JSON.stringify([document, refused])).not.toContain("hunter2");
  });

  test("do not get the agents' own keys, nor variables of the shell", () => {
    const { document, refused } = imported({
      entries: {
        image: {
          enabled: true,
          apiKey: variable("OPENAI_API_KEY"),
          env: { PATH: variable("BIN"), OTHER: variable("OTHER_KEY") },
        },
      },
    });
    expect(document).toEqual({ skills: { entries: { image: { enabled: true, env: { OTHER: ref("OTHER_KEY") } } } } });
    expect(refused).toMatchObject([
      { path: "skills.entries.image.env.PATH", why: expect.stringContaining("shell itself") },
      { path: "skills.entries.image.apiKey", why: expect.stringContaining("wrangler secret put SKILL_IMAGE_API_KEY") },
    ]);
  });

  test("say what of them is of a machine", () => {
    const { document, refused, unknown, changed } = imported({
      allowBundled: [],
      load: { extraDirs: ["~/Projects/skills", "shared"], allowSymlinkTargets: ["~/x"] },
      install: { preferBrew: true, nodeManager: "npm", allowUploadedArchives: false },
      workshop: { approvalPolicy: "pending" },
    });
    expect(document).toEqual({ skills: { load: { extraDirs: ["shared"] }, install: {} } });
    expect(changed).toMatchObject([{ path: "skills.allowBundled" }]);
    expect(refused).toMatchObject([{ path: "skills.load.extraDirs[0]", why: expect.stringContaining("bucket") }]);
    expect(unknown.map(({ path }) => path).sort()).toEqual([
      "skills.install.allowUploadedArchives",
      "skills.install.nodeManager",
      "skills.install.preferBrew",
      "skills.load.allowSymlinkTargets",
      "skills.workshop",
    ]);
  });
});
