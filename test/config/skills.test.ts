import { describe, expect, test } from "vitest";
import { agentOf } from "../../src/config/agents.ts";
import { checkConfig } from "../../src/config/faults.ts";
import { importOpenClaw } from "../../src/config/import/import-openclaw.ts";
import { isReservedName } from "../../src/config/reserved-names.ts";
import { BUILT_IN_PROVIDERS } from "../../src/models/providers.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";

function ref(id: string) {
  return { source: "env", id };
}

/** Where OpenClaw fills in a variable. */
function variable(name: string): string {
  return `\${${name}}`;
}

/** What is wrong with a configuration, `path: message`. */
function faults(config: object): string[] {
  const checked = checkConfig(wholeSchema, config);
  return checked.kind === "valid" ? [] : checked.faults.map(({ path, message }) => `${path}: ${message}`);
}

function withEntry(entry: object, more: object = {}) {
  return faults({ skills: { entries: { gh: entry } }, ...more });
}

describe("what a skill is given", () => {
  test("is a secret by name, and nothing else", () => {
    expect(withEntry({ apiKey: ref("GH_KEY"), env: { GH_TOKEN: ref("MY_TOKEN") } })).toEqual([]);
    const said = withEntry({ apiKey: "hunter2hunter2", env: { GH_TOKEN: "hunter2hunter2" } });
    expect(said).toHaveLength(2);
    expect(said.join()).toMatch(/skills\.entries\.gh\.apiKey: .*wrangler secret put/);
    expect(said.join()).not.toContain("hunter2");
  });

  test("is never the Worker's own, nor a key of a model that is asked without a word of configuration", () => {
    for (const id of ["ISOPOD_TOKEN", "CLOUDFLARE_API_TOKEN", "CF_API_KEY", "OPENAI_API_KEY"]) {
      expect(withEntry({ apiKey: ref(id) })).toEqual([
        expect.stringMatching(
          /^skills\.entries\.gh\.apiKey: \w+ is the Worker's own, .*wrangler secret put SKILL_GH_API_KEY/,
        ),
      ]);
    }
    for (const { apiKey } of Object.values(BUILT_IN_PROVIDERS)) {
      if (apiKey !== undefined) expect(isReservedName(apiKey.id)).toBe(true);
    }
  });

  test("is never what another part of the configuration names", () => {
    const elsewhere = {
      models: { providers: { mine: { baseUrl: "https://m.test/v1", api: "openai-completions", apiKey: ref("MINE") } } },
      auth: { profiles: { "mine:b": { provider: "mine", apiKey: ref("SPARE") } } },
      hooks: { token: ref("HOOK") },
    };
    for (const id of ["MINE", "SPARE", "HOOK", "TELEGRAM_BOT_TOKEN"]) {
      const said = withEntry({ env: { TOKEN: ref(id) } }, elsewhere);
      expect(said).toEqual([expect.stringMatching(/^skills\.entries\.gh\.env\.TOKEN: .*SKILL_GH_TOKEN/)]);
    }
    expect(withEntry({ env: { TOKEN: ref("FREE") } }, elsewhere)).toEqual([]);
    expect(withEntry({ apiKey: ref("HOOK") }, elsewhere)[0]).toContain("what hooks.token is for");
  });

  test("is no variable that changes the shell itself", () => {
    for (const name of ["PATH", "HOME", "IFS", "BASH_ENV", "LD_PRELOAD", "NODE_OPTIONS", "http_proxy"]) {
      expect(withEntry({ env: { [name]: ref("X_KEY") } })).toEqual([
        expect.stringMatching(new RegExp(`^skills\\.entries\\.gh\\.env\\.${name}: .*shell itself`)),
      ]);
    }
    expect(withEntry({ env: { "A-B": ref("X_KEY") } })[0]).toContain("name of an environment variable");
  });

  test("is no secret among its own fields", () => {
    expect(withEntry({ config: { unit: "celsius", deep: { token: ref("X_KEY"), on: true } } })).toEqual([]);
    expect(withEntry({ config: { deep: { token: "hunter2" } } })[0]).toMatch(
      /^skills\.entries\.gh\.config\.deep\.token/,
    );
    expect(withEntry({ config: { list: ["sk-hunter2hunter2hunter2"] } })).toHaveLength(1);
  });
});

test("folders of a machine are no places for skills, nor are those of what is kept", () => {
  const dirs = (...extraDirs: string[]) => faults({ skills: { load: { extraDirs } } });
  expect(dirs("shared/skills", "team/", "agents/other/workspace/skills")).toEqual([]);
  for (const dir of ["~/skills", "/opt/skills", "C:\\skills"]) expect(dirs(dir)[0]).toContain("folder of a machine");
  for (const dir of ["a/../b", "a//b"]) expect(dirs(dir)[0]).toContain("no prefix");
  for (const dir of ["sessions/x", "versions"]) expect(dirs(dir)[0]).toContain("kept for something else");
});

test("an agent's list of skills is its own, else the shared one, and so is the length of the list", () => {
  const config = wholeSchema.parse({
    skills: { limits: { maxSkillsInPrompt: 9, maxSkillsPromptChars: 5000 } },
    agents: {
      defaults: { skills: ["a"] },
      list: [{ id: "one" }, { id: "two", skills: [], skillsLimits: { maxSkillsPromptChars: 100 } }],
    },
  });
  expect(agentOf(config, "one")).toMatchObject({
    skills: ["a"],
    skillsLimits: { maxSkillsInPrompt: 9, maxSkillsPromptChars: 5000 },
  });
  expect(agentOf(config, "two")).toMatchObject({
    skills: [],
    skillsLimits: { maxSkillsInPrompt: 9, maxSkillsPromptChars: 100 },
  });
  expect(agentOf(wholeSchema.parse({}), "main").skills).toBeUndefined();
});

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
    expect(changed).toMatchObject([{ path: "skills.entries.gh.env.GH_HOST" }]);
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
