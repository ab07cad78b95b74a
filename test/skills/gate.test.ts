import { describe, expect, test } from "vitest";
import { type GateFacts, gateSkills, type SkillEntry } from "../../src/skills/gate.ts";
import type { Skill } from "../../src/skills/skill.ts";
import { aSkill, requiring, skillWith } from "./a-skill.ts";

function facts(more: Partial<GateFacts> & { set?: string[] } = {}): GateFacts {
  const { set = [], ...rest } = more;
  return {
    os: new Set(["linux"]),
    commands: new Set(["curl", "jq"]),
    hasEnv: (name) => set.includes(name),
    configAt: () => undefined,
    entries: {},
    quarantined: new Map(),
    ...rest,
  };
}

function entry(more: Partial<SkillEntry> = {}): SkillEntry {
  return { enabled: true, env: {}, ...more };
}

/** Why a skill is left out; undefined where it may be used. */
function whyNot(skill: Skill, given: GateFacts) {
  const { eligible, leftOut } = gateSkills([skill], given);
  expect(eligible.length + leftOut.length).toBe(1);
  return leftOut[0] && { code: leftOut[0].code, reason: leftOut[0].reason };
}

test("a skill without requirements may be used, and usable skills are sorted by name", () => {
  const { eligible, leftOut } = gateSkills([aSkill("b"), aSkill("a"), aSkill("B")], facts());
  expect(eligible.map(({ name }) => name)).toEqual(["B", "a", "b"]);
  expect(leftOut).toEqual([]);
});

test("each unused skill has its name, source, location, code and remedy, sorted by location", () => {
  const off = { z: entry({ enabled: false }), a: entry({ enabled: false }) };
  const { leftOut } = gateSkills([aSkill("z"), aSkill("a"), aSkill("c")], facts({ entries: off }));
  expect(leftOut).toEqual([
    {
      name: "a",
      source: "workspace",
      location: "skills/a/SKILL.md",
      code: "disabled",
      reason: "It is switched off: set skills.entries.a.enabled to true, or take that out.",
    },
    expect.objectContaining({ name: "z" }),
  ]);
});

describe("policy gates", () => {
  test("an entry applies by the skill's key, and by its name only if it has no key", () => {
    const keyed = skillWith("weather", { skillKey: "wx" });
    expect(whyNot(keyed, facts({ entries: { weather: entry({ enabled: false }) } }))).toBeUndefined();
    expect(whyNot(keyed, facts({ entries: { wx: entry({ enabled: false }) } }))).toMatchObject({ code: "disabled" });
  });

  test("a property name of every object is not an entry", () => {
    expect(whyNot(aSkill("constructor"), facts())).toBeUndefined();
  });

  test("allowBundled applies to bundled skills, by key or name, and an empty list allows none", () => {
    const bundled = skillWith("weather", { skillKey: "wx" }, { source: "bundled" });
    expect(whyNot(bundled, facts({ allowBundled: ["wx"] }))).toBeUndefined();
    expect(whyNot(bundled, facts({ allowBundled: ["weather"] }))).toBeUndefined();
    expect(whyNot(bundled, facts({ allowBundled: [] }))).toMatchObject({ code: "not_bundled_allowed" });
    expect(whyNot(aSkill("weather"), facts({ allowBundled: [] }))).toBeUndefined();
  });

  test("the agent's list applies to every source, and an empty list allows none", () => {
    expect(whyNot(aSkill("a"), facts({ allowed: ["a"] }))).toBeUndefined();
    expect(whyNot(aSkill("a"), facts({ allowed: ["b"] }))).toMatchObject({ code: "not_agent_allowed" });
    expect(whyNot(aSkill("a"), facts({ allowed: [] }))).toMatchObject({ code: "not_agent_allowed" });
  });

  test("a skill with an allowed name gets no secrets of another skill's key", () => {
    const disguised = skillWith("weather", { skillKey: "github" });
    const entries = { github: entry({ apiKey: { id: "GH" } }) };
    expect(whyNot(disguised, facts({ allowed: ["weather"] }))).toBeUndefined();
    expect(whyNot(disguised, facts({ allowed: ["weather"], entries }))).toMatchObject({ code: "not_agent_allowed" });
    expect(whyNot(disguised, facts({ allowed: ["github"], entries }))).toMatchObject({ code: "not_agent_allowed" });
    expect(whyNot(disguised, facts({ allowed: ["weather", "github"], entries }))).toBeUndefined();
  });

  test("`always` does not override policy, quarantine or operating system", () => {
    const always = skillWith("a", { always: true, os: ["darwin"] }, { source: "bundled" });
    const quarantined = new Map([["skills/a/SKILL.md", "run.sh is not as it was installed."]]);
    expect(whyNot(always, facts({ quarantined }))).toEqual({
      code: "quarantined",
      reason: "run.sh is not as it was installed.",
    });
    expect(whyNot(always, facts({ entries: { a: entry({ enabled: false }) } }))).toMatchObject({ code: "disabled" });
    expect(whyNot(always, facts({ allowBundled: [] }))).toMatchObject({ code: "not_bundled_allowed" });
    expect(whyNot(always, facts({ allowed: [] }))).toMatchObject({ code: "not_agent_allowed" });
    expect(whyNot(always, facts())).toMatchObject({ code: "os", reason: expect.stringContaining("darwin") });
  });
});

describe("requirements of a skill", () => {
  test("a skill requires one of its operating systems, which a node may provide", () => {
    expect(whyNot(skillWith("a", { os: ["darwin", "linux"] }), facts())).toBeUndefined();
    expect(whyNot(skillWith("a", { os: [] }), facts())).toBeUndefined();
    const mac = skillWith("a", { os: ["darwin"] });
    expect(whyNot(mac, facts())).toMatchObject({ code: "os" });
    expect(whyNot(mac, facts({ os: new Set(["linux", "darwin"]) }))).toBeUndefined();
  });

  test("a skill requires all of its bins and one of its anyBins", () => {
    expect(whyNot(skillWith("a", requiring({ bins: ["curl", "jq"] })), facts())).toBeUndefined();
    expect(whyNot(skillWith("a", requiring({ bins: ["curl", "gh", "op"] })), facts())).toEqual({
      code: "missing_bins",
      reason: "The shell has no gh and op.",
    });
    expect(whyNot(skillWith("a", requiring({ anyBins: ["gh", "curl"] })), facts())).toBeUndefined();
    expect(whyNot(skillWith("a", requiring({ anyBins: ["gh", "op"] })), facts())).toMatchObject({
      code: "missing_any_bins",
    });
  });

  test("a skill requires a variable of the environment or of its entry", () => {
    const skill = skillWith("gh", { ...requiring({ env: ["GH_TOKEN"] }), primaryEnv: "GH_TOKEN" });
    const byEnv = { gh: entry({ env: { GH_TOKEN: { id: "MY_TOKEN" } } }) };
    const byKey = { gh: entry({ apiKey: { id: "MY_TOKEN" } }) };
    expect(whyNot(skill, facts({ set: ["GH_TOKEN"] }))).toBeUndefined();
    expect(whyNot(skill, facts({ set: ["MY_TOKEN"], entries: byEnv }))).toBeUndefined();
    expect(whyNot(skill, facts({ set: ["MY_TOKEN"], entries: byKey }))).toBeUndefined();
    expect(whyNot(skill, facts())).toEqual({
      code: "missing_env",
      reason:
        "GH_TOKEN is not set: store it, `wrangler secret put GH_TOKEN`, and name that in skills.entries.gh.apiKey.",
    });
    expect(whyNot(skill, facts({ entries: byEnv }))).toMatchObject({
      reason: expect.stringMatching(/skills\.entries\.gh\.env\.GH_TOKEN names MY_TOKEN.*wrangler secret put MY_TOKEN/),
    });
    const own = skillWith("gh", requiring({ env: ["OPENAI_API_KEY"] }));
    expect(whyNot(own, facts())?.reason).toMatch(/kept for Isopod itself.*wrangler secret put SKILL_GH_OPENAI_API_KEY/);
    const other = skillWith("gh", requiring({ env: ["OTHER"] }));
    expect(whyNot(other, facts({ set: ["MY_TOKEN"], entries: byKey }))).toMatchObject({ code: "missing_env" });
  });

  test("a skill requires truthy configuration fields", () => {
    const skill = skillWith("a", requiring({ config: ["channels.slack"] }));
    const says = (value: unknown) => facts({ configAt: (path) => (path === "channels.slack" ? value : undefined) });
    for (const value of [true, 1, "x", {}, []]) expect(whyNot(skill, says(value))).toBeUndefined();
    for (const value of [false, 0, "", "  ", null, undefined]) {
      expect(whyNot(skill, says(value))).toMatchObject({ code: "missing_config" });
    }
  });

  test("all unmet requirements are reported at once", () => {
    const skill = skillWith("a", requiring({ bins: ["gh"], env: ["X"], config: ["y.z"] }));
    expect(whyNot(skill, facts())).toMatchObject({
      code: "missing_bins",
      reason: expect.stringMatching(/gh.*X is not set.*y\.z/),
    });
  });

  test("a skill with `always` has no requirements", () => {
    const metadata = { ...requiring({ bins: ["gh"], anyBins: ["op"], env: ["X"], config: ["y.z"] }), always: true };
    expect(whyNot(skillWith("a", metadata), facts())).toBeUndefined();
  });
});
