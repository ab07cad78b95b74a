import { describe, expect, test } from "vitest";
import { parseSkillFile } from "../../src/skills/parse-skill.ts";
import { readSkillText } from "../../src/skills/read-skill.ts";

const AT = {
  source: "workspace",
  location: "skills/weather/SKILL.md",
  baseDir: "/workspace/skills/weather",
  etag: "e1",
  folder: "weather",
} as const;

const bytesOf = (text: string) => new TextEncoder().encode(text);
const skillText = (...lines: string[]) => ["---", ...lines, "---", "# Weather", ""].join("\n");

async function parse(content: string | Uint8Array, folder = AT.folder as string) {
  return parseSkillFile(typeof content === "string" ? bytesOf(content) : content, { ...AT, folder });
}

describe("parsing a SKILL.md", () => {
  test("a SKILL.md becomes a skill with all its fields and its location", async () => {
    const text = skillText(
      "name: weather",
      "description: What the weather is.",
      "license: MIT",
      "compatibility: needs curl",
      "allowed-tools: Read, Bash(git:*)",
      "homepage: https://a.b",
      'metadata: {"openclaw":{"emoji":"☔"}}',
    );
    expect(await parse(text)).toEqual({
      kind: "skill",
      text,
      issues: [],
      skill: {
        name: "weather",
        description: "What the weather is.",
        source: "workspace",
        location: "skills/weather/SKILL.md",
        baseDir: "/workspace/skills/weather",
        version: expect.stringMatching(/^sha256:[0-9a-f]{16}$/),
        etag: "e1",
        size: bytesOf(text).length,
        metadata: { emoji: "☔" },
        invocation: { userInvocable: true, disableModelInvocation: false },
        homepage: "https://a.b",
        license: "MIT",
        compatibility: "needs curl",
        allowedTools: ["Read", "Bash(git:*)"],
      },
    });
  });

  test("the version of a skill is the digest of its SKILL.md", async () => {
    const [one, other] = await Promise.all([parse(skillText("description: a")), parse(skillText("description: b"))]);
    const versions = [one, other].map((parsed) => parsed.kind === "skill" && parsed.skill.version);
    expect(new Set(versions).size).toBe(2);
    const digest = await crypto.subtle.digest("SHA-256", bytesOf(skillText("description: a")));
    const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    expect(versions[0]).toBe(`sha256:${hex.slice(0, 16)}`);
  });

  test("a skill without a name is named after its folder", async () => {
    expect(await parse(skillText("description: a"), "rain")).toMatchObject({ skill: { name: "rain" } });
    expect(await parse(skillText("name: ''", "description: a"), "rain")).toMatchObject({ skill: { name: "rain" } });
  });

  test.each([
    ["nothing", "", "no_front_matter"],
    ["a heading alone", "# Weather\n", "no_front_matter"],
    ["no description", skillText("name: a"), "no_description"],
    ["an empty description", skillText("name: a", "description: ''"), "no_description"],
    ["front matter that is no YAML", skillText("name: a", "- b"), "bad_front_matter"],
    ["front matter without an end", "---\nname: a\n", "bad_front_matter"],
  ])("a SKILL.md with %s is left out with the reason", async (_, text, code) => {
    expect(await parse(text)).toEqual({
      kind: "invalid",
      leftOut: {
        name: expect.any(String),
        source: AT.source,
        location: AT.location,
        code,
        reason: expect.stringMatching(/\.$/),
      },
    });
  });

  test("a SKILL.md that is left out is named by its name field or its folder", async () => {
    expect(await parse(skillText("name: rain"))).toMatchObject({ leftOut: { name: "rain", code: "no_description" } });
    expect(await parse("# Rain")).toMatchObject({ leftOut: { name: "weather" } });
  });

  test("a SKILL.md in UTF-16 is left out, and one with a few invalid bytes is used", async () => {
    const utf16 = new Uint8Array([0xff, 0xfe, ...bytesOf("---")]);
    expect(await parse(utf16)).toMatchObject({ leftOut: { code: "not_text" } });
    const latin1 = Uint8Array.from(skillText("description: caf\u00e9 open"), (character) => character.charCodeAt(0));
    expect(await parse(latin1)).toMatchObject({
      skill: { description: "caf\ufffd open" },
      issues: [expect.stringContaining("no UTF-8")],
    });
    const marked = await parse(new Uint8Array([0xef, 0xbb, 0xbf, ...bytesOf(skillText("description: a"))]));
    expect(marked).toMatchObject({ kind: "skill", issues: [] });
  });

  test("the fields of a skill are shortened and have no control characters", async () => {
    const parsed = await parse(skillText('name: "a\\u0007"', `description: "${"xx\\0".repeat(3_500)}"`));
    expect(parsed).toMatchObject({ kind: "skill", skill: { name: "a␇" } });
    const { skill, issues } = parsed as { skill: { description: string }; issues: string[] };
    expect(skill.description).toHaveLength(8_192);
    expect(skill.description).not.toContain("\0");
    expect(issues.join()).toContain("is cut there");
  });

  test("problems of a SKILL.md that do not prevent its use are listed as issues", async () => {
    const issuesIn = async (...lines: string[]) => {
      const parsed = await parse(skillText(...lines));
      return parsed.kind === "skill" ? parsed.issues : parsed;
    };
    expect(await issuesIn("name: ok-1", "description: a")).toEqual([]);
    expect(await issuesIn("name: My Skill", "description: a")).toEqual([expect.stringContaining("AgentSkills")]);
    expect(await issuesIn("name: a", "description: b: c")).toEqual([expect.stringContaining("quotes")]);
    expect(await issuesIn("name: a", "description: b", "metadata: '{'")).toEqual([expect.stringContaining("JSON")]);
    expect(await issuesIn("name: a", "description: b", "license: see [x](../LICENSE)")).toEqual([
      "It refers to files outside of its folder: `../LICENSE`.",
    ]);
  });
});

describe("invocation of skills", () => {
  const invocation = (...lines: string[]) => {
    const reading = readSkillText(skillText(...lines));
    return reading.kind === "read" ? reading.invocation : reading;
  };

  test("users and models may invoke a skill unless its front matter disables it", () => {
    expect(invocation("name: a")).toEqual({ userInvocable: true, disableModelInvocation: false });
    for (const no of ["false", "FALSE", "'no'", "off", "0"]) {
      expect(invocation(`user-invocable: ${no}`)).toMatchObject({ userInvocable: false });
    }
    for (const yes of ["true", "True", "'yes'", "on", "1"]) {
      expect(invocation(`disable-model-invocation: ${yes}`)).toMatchObject({ disableModelInvocation: true });
    }
    expect(invocation("user-invocable: maybe", "disable-model-invocation: maybe")).toEqual({
      userInvocable: true,
      disableModelInvocation: false,
    });
  });

  test("a skill with command-dispatch names its tool", () => {
    expect(invocation("command-dispatch: Tool", "command-tool: exec")).toMatchObject({ dispatchTool: "exec" });
    expect(invocation("command_dispatch: tool", "command_tool: exec")).toMatchObject({ dispatchTool: "exec" });
    expect(invocation("command-dispatch: model", "command-tool: exec")).not.toHaveProperty("dispatchTool");
    expect(invocation("command-dispatch: tool")).not.toHaveProperty("dispatchTool");
  });

  test("an incomplete command-dispatch is reported as an issue", () => {
    const issues = (...lines: string[]) => {
      const reading = readSkillText(skillText(...lines));
      return reading.kind === "read" ? reading.issues : reading;
    };
    expect(issues("command-dispatch: tool")).toEqual([expect.stringContaining("command-tool")]);
    expect(issues("command-dispatch: tool", "command-tool: exec", "command-arg-mode: json")).toEqual([
      expect.stringContaining("command-arg-mode"),
    ]);
    expect(issues("command-dispatch: tool", "command-tool: exec", "command-arg-mode: raw")).toEqual([]);
  });
});

describe("allowed-tools of skills", () => {
  test.each([
    ["allowed-tools: Read, Bash(git:*)", ["Read", "Bash(git:*)"]],
    ["allowed-tools: Read Bash(git add:*)", ["Read", "Bash(git add:*)"]],
    ['allowed-tools: ["exec", "read"]', ["exec", "read"]],
    ["allowed-tools: [Read, Bash(git:*)]", ["Read", "Bash(git:*)"]],
    ["allowed-tools:\n  - Read\n  - Write", ["Read", "Write"]],
    ["allowed-tools: ''", undefined],
    ["allowed-tools: []", undefined],
  ])("%j", (line, tools) => {
    expect(readSkillText(skillText(line))).toMatchObject({ allowedTools: tools });
  });
});

describe("homepages of skills", () => {
  test.each([
    [['metadata: {"openclaw":{"homepage":"https://m"}}', "homepage: https://h"], "https://m"],
    [["homepage: https://h", "website: https://w"], "https://h"],
    [["website: https://w", "url: https://u"], "https://w"],
    [["url: https://u"], "https://u"],
    [["name: a"], undefined],
  ])("%j", (lines, homepage) => {
    expect(readSkillText(skillText(...lines))).toMatchObject({ homepage });
  });
});
