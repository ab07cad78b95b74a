import { describe, expect, test } from "vitest";
import { agentOf } from "../../src/config/agents.ts";
import { checkConfig } from "../../src/config/faults.ts";
import { isReservedName } from "../../src/config/reserved-names.ts";
import { BUILT_IN_PROVIDERS } from "../../src/models/providers.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";

function ref(id: string) {
  return { source: "env", id };
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

  test("is never a variable of the Worker or the default key of a provider", () => {
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

  test("is never a secret that another part of the configuration names", () => {
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
    expect(withEntry({ apiKey: ref("HOOK") }, elsewhere)[0]).toContain("used by hooks.token");
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

test("folders on a disk and internal folders of the bucket are refused as folders of skills", () => {
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
