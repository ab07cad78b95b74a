import { expect, test } from "vitest";
import { skillEnv } from "../../src/skills/skill-env.ts";
import { aSkill, skillWith } from "./a-skill.ts";

const SECRETS: Record<string, string> = { ONE: "value-one", TWO: "value-two" };
const secret = (name: string) => SECRETS[name];

function entry(env: Record<string, string>, apiKey?: string) {
  const named = Object.fromEntries(Object.entries(env).map(([name, id]) => [name, { id }]));
  return {
    enabled: true,
    secretMode: "value" as const,
    env: named,
    ...(apiKey !== undefined && { apiKey: { id: apiKey } }),
  };
}

test("a skill gets the variables of its entry, and its API key as its primary variable", () => {
  const skill = skillWith("gh", { primaryEnv: "GH_TOKEN", skillKey: "github" });
  expect(skillEnv([skill], { github: entry({ GH_HOST: "ONE" }, "TWO") }, secret)).toEqual({
    env: { GH_HOST: "value-one", GH_TOKEN: "value-two" },
    secrets: [],
    missing: [],
    refused: [],
  });
  expect(skillEnv([skill], { gh: entry({}, "TWO") }, secret).env).toEqual({});
});

test("a variable named in env takes precedence over the API key", () => {
  const skill = skillWith("gh", { primaryEnv: "GH_TOKEN" });
  expect(skillEnv([skill], { gh: entry({ GH_TOKEN: "ONE" }, "TWO") }, secret).env).toEqual({ GH_TOKEN: "value-one" });
});

test("an API key has no effect on a skill without a primary variable", () => {
  expect(skillEnv([aSkill("gh")], { gh: entry({}, "TWO") }, secret).env).toEqual({});
});

test("of two skills that claim one variable, the first by name gets it, and the other is reported without a value", () => {
  const entries = { b: entry({ TOKEN: "TWO" }), a: entry({ TOKEN: "ONE" }), c: entry({ TOKEN: "ONE" }) };
  const { env, refused } = skillEnv([aSkill("c"), aSkill("b"), aSkill("a")], entries, secret);
  expect(env).toEqual({ TOKEN: "value-one" });
  expect(refused).toEqual(["'b' does not get TOKEN from TWO: 'a' has it from ONE."]);
});

test("an unset secret is reported, and another skill may still set the variable", () => {
  const entries = { a: entry({ TOKEN: "GONE" }), b: entry({ TOKEN: "ONE" }) };
  expect(skillEnv([aSkill("a"), aSkill("b")], entries, secret)).toEqual({
    env: { TOKEN: "value-one" },
    secrets: [],
    missing: ["GONE"],
    refused: [],
  });
});

test("a skill cannot claim a variable of the shell as its primary one", () => {
  for (const primaryEnv of ["PATH", "BASH_ENV", "LD_PRELOAD", "NODE_OPTIONS", "https_proxy"]) {
    const { env, refused } = skillEnv([skillWith("x", { primaryEnv })], { x: entry({}, "ONE") }, secret);
    expect(env).toEqual({});
    expect(refused).toEqual([`'x' does not get ${primaryEnv}: it would change the shell itself.`]);
  }
});

test("skills that may not be used set no variables", () => {
  expect(skillEnv([], { a: entry({ TOKEN: "ONE" }) }, secret).env).toEqual({});
});

test("a secret is given as one to put in at the egress, with the hosts of its entry, unless the entry wants its value", () => {
  const skill = skillWith("gh", { primaryEnv: "GH_TOKEN" });
  const { secretMode: _, ...plain } = entry({ GH_HOST: "ONE" }, "TWO");
  expect(skillEnv([skill], { gh: { ...plain, hosts: ["api.github.com"] } }, secret)).toMatchObject({
    env: {},
    secrets: [
      { variable: "GH_HOST", value: "value-one", skill: "gh", hosts: ["api.github.com"] },
      { variable: "GH_TOKEN", value: "value-two", skill: "gh", hosts: ["api.github.com"] },
    ],
  });
});
