import { describe, expect, it } from "vitest";
import { commandName, findSkillCommand, leadingName, skillCommands } from "../../src/skills/command-names.ts";
import { aSkill as skill } from "./a-skill.ts";

function named(names: string[], reserved: string[] = []): [string, string][] {
  return skillCommands(
    names.map((name) => skill(name)),
    reserved,
  ).map((command) => [command.name, command.skill.name]);
}

describe("names of skill commands", () => {
  it.each([
    ["weather", "weather"],
    ["GitHub-Issues", "github_issues"],
    ["  My  Weather! ", "my_weather"],
    ["a__b--c", "a_b_c"],
    ["café", "caf"],
    ["天气", ""],
    ["天气-weather", "weather"],
    ["x".repeat(40), "x".repeat(32)],
  ])("a command name has only characters that Telegram allows: %s", (raw, name) => {
    expect(commandName(raw)).toBe(name);
  });

  it("command names are unique, also against other commands of one or two words", () => {
    expect(named(["b-b", "status", "b_b", "subagents log", "a"], ["status", "subagents", "subagents log"])).toEqual([
      ["a", "a"],
      ["b_b", "b-b"],
      ["b_b_2", "b_b"],
      ["status_2", "status"],
      ["subagents_log_2", "subagents log"],
    ]);
  });

  it("numbered command names have at most 32 characters", () => {
    const long = "y".repeat(31);
    const names = named([`${long}-1`, `${long}-2`, `${long}-3`]).map(([name]) => name);
    expect(names).toEqual([`${long}_`, `${"y".repeat(30)}_2`, `${"y".repeat(30)}_3`]);
  });

  it("a name without usable characters falls back to the folder, then to a number", () => {
    const skills = [
      skill("天气", { baseDir: "/workspace/skills/tianqi" }),
      skill("日历", { baseDir: "/workspace/skills/日历" }),
      skill("翻译", { baseDir: "/workspace/skills/翻译" }),
    ];
    const commands = skillCommands(skills, ["skill"]);
    expect(commands.map(({ name, skill: { name: own } }) => [name, own])).toEqual([
      ["tianqi", "天气"],
      ["skill_2", "日历"],
      ["skill_3", "翻译"],
    ]);
    expect(findSkillCommand(commands, "日历")?.name).toBe("skill_2");
    expect(findSkillCommand(commands, "天气")?.name).toBe("tianqi");
  });

  it("only skills that users may invoke have commands", () => {
    const hidden = skill("hidden", { invocation: { userInvocable: false, disableModelInvocation: false } });
    const shy = skill("shy", { invocation: { userInvocable: true, disableModelInvocation: true } });
    expect(skillCommands([hidden, shy], []).map(({ name }) => name)).toEqual(["shy"]);
  });
});

describe("typed skill commands", () => {
  const commands = skillCommands(
    [skill("github-issues"), skill("GitHub Issues Pro"), skill("a_2"), skill("A"), skill("a")],
    [],
  );

  it.each([
    ["github_issues", "github-issues"],
    ["GitHub-Issues", "github-issues"],
    ["github_issues_pro", "GitHub Issues Pro"],
    ["github-issues-pro", "GitHub Issues Pro"],
    ["a", "A"],
    ["nope", undefined],
  ])("a typed word finds its command: %s", (word, own) => {
    expect(findSkillCommand(commands, word)?.skill.name).toBe(own);
  });

  it("typed text is matched with the longest skill name", () => {
    const names = [{ name: "github issues" }, { name: "GitHub Issues Pro" }, { name: "git" }];
    expect(leadingName("github issues pro  list all", names)).toEqual({ named: names[1], rest: "list all" });
    expect(leadingName("github-issues list", names)).toEqual({ named: names[0], rest: "list" });
    expect(leadingName("github", names)).toBeUndefined();
    expect(leadingName("git", names)).toEqual({ named: names[2], rest: "" });
  });
});
