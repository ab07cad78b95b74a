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

describe("a SKILL.md", () => {
  test("is a skill with all that it says of itself, and where it is", async () => {
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

  test("has the digest of its bytes as its version", async () => {
    const [one, other] = await Promise.all([parse(skillText("description: a")), parse(skillText("description: b"))]);
    const versions = [one, other].map((parsed) => parsed.kind === "skill" && parsed.skill.version);
    expect(new Set(versions).size).toBe(2);
    const digest = await crypto.subtle.digest("SHA-256", bytesOf(skillText("description: a")));
    const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    expect(versions[0]).toBe(`sha256:${hex.slice(0, 16)}`);
  });

  test("without a name is called as its folder", async () => {
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
  ])("with %s is left out with the reason", async (_, text, code) => {
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

  test("that is left out is named as it says, or as its folder", async () => {
    expect(await parse(skillText("name: rain"))).toMatchObject({ leftOut: { name: "rain", code: "no_description" } });
    expect(await parse("# Rain")).toMatchObject({ leftOut: { name: "weather" } });
  });

  test("of other encodings is left out, and one with a few broken bytes is used", async () => {
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

  test("is shown without control characters, and not at any length", async () => {
    const parsed = await parse(skillText('name: "a\\u0007"', `description: "${"xx\\0".repeat(3_500)}"`));
    expect(parsed).toMatchObject({ kind: "skill", skill: { name: "a␇" } });
    const { skill, issues } = parsed as { skill: { description: string }; issues: string[] };
    expect(skill.description).toHaveLength(8_192);
    expect(skill.description).not.toContain("\0");
    expect(issues.join()).toContain("is cut there");
  });

  test("tells what is amiss with it and does not keep it from use", async () => {
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

describe("how a skill is called on", () => {
  const invocation = (...lines: string[]) => {
    const reading = readSkillText(skillText(...lines));
    return reading.kind === "read" ? reading.invocation : reading;
  };

  test("by people and models, unless it says otherwise in any of the usual words", () => {
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

  test("without a model where its command goes to a tool", () => {
    expect(invocation("command-dispatch: Tool", "command-tool: exec")).toMatchObject({ dispatchTool: "exec" });
    expect(invocation("command_dispatch: tool", "command_tool: exec")).toMatchObject({ dispatchTool: "exec" });
    expect(invocation("command-dispatch: model", "command-tool: exec")).not.toHaveProperty("dispatchTool");
    expect(invocation("command-dispatch: tool")).not.toHaveProperty("dispatchTool");
  });

  test("and tells where that was meant and cannot be", () => {
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

describe("the tools that a skill names", () => {
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

describe("the page of a skill", () => {
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
