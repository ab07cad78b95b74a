import { describe, expect, it } from "vitest";
import { changeText, skillsText, skillText, verificationText } from "../../src/cli/skills-text.ts";
import type { SkillLine, SkillReport } from "../../src/client/wire.ts";

const WEATHER: SkillLine = {
  name: "weather",
  source: "workspace",
  location: "skills/weather/SKILL.md",
  eligible: true,
  shown: true,
  tokens: 41,
  description: "Tells the weather.",
  version: "sha256:0123456789abcdef",
  command: "weather",
};
const CHINESE: SkillLine = {
  ...WEATHER,
  name: "天气",
  description: "告诉你\u001b[31m天气。",
  command: "tianqi",
  shown: false,
};
const NEEDY: SkillLine = { ...WEATHER, name: "needy", eligible: false, reason: "It needs NOBODY_SET_THIS: set it." };
const INSTALLED = {
  name: "weather",
  folder: "weather",
  location: "skills/weather/SKILL.md",
  global: false,
  version: "1.2.0",
  source: { kind: "upload" },
  signature: { kind: "unsigned" },
  modified: false,
  installedAt: 0,
  fileCount: 2,
  bytes: 200,
} satisfies NonNullable<SkillLine["install"]>;
const REPORT: SkillReport = {
  agent: "main",
  skills: [NEEDY, WEATHER, CHINESE],
  totals: { found: 3, eligible: 2, shown: 1, cut: 1, tokens: 60, chars: 240 },
  limits: { maxSkillsInPrompt: 10, maxSkillsPromptChars: 1000 },
  unset: ["KEY"],
  warnings: ["KEY is named in skills.entries and is not set."],
};

describe("an agent's skills on a terminal", () => {
  it("are a table of what may be used, and below it what may not, with why", () => {
    expect(skillsText(REPORT)).toBe(
      [
        "   skill    from       command   tokens",
        "✓  weather  workspace  /weather  41      Tells the weather.",
        "✓  天气     workspace  /tianqi   -       告诉你 [31m天气。",
        "",
        "✗ needy (workspace)",
        "  → It needs NOBODY_SET_THIS: set it.",
        "",
        "! KEY is named in skills.entries and is not set.",
        "main: 3 found, 2 eligible, 1 in the prompt (about 60 tokens).",
      ].join("\n"),
    );
  });

  it("say once for what limit some that may be used are in no prompt", () => {
    const cut = "The prompt lists 1 skills: have fewer.";
    const [one, other] = ["a", "b"].map((name) => ({ ...CHINESE, name, cut }));
    const text = skillsText({ ...REPORT, skills: [WEATHER, one!, other!] });
    expect(text.split("\n").filter((line) => line.includes(cut))).toEqual([`! 2 not in the prompt: ${cut}`]);
    expect(skillText({ ...one!, files: [], moreFiles: 0, seen: "1ab" })).toContain(`not listed: ${cut}`);
  });

  it("are no table where there are none", () => {
    const nothing = { found: 0, eligible: 0, shown: 0, tokens: 0 };
    const none = { ...REPORT, skills: [], warnings: [], totals: { ...REPORT.totals, ...nothing } };
    expect(skillsText(none)).toBe("main: 0 found, 0 eligible, 0 in the prompt (about 0 tokens).");
  });

  it("one of them is shown with its files and its text, without what would steer the terminal", () => {
    const files = [{ path: "SKILL.md", etag: "1", size: 120 }];
    const shown = skillText({ ...NEEDY, files, moreFiles: 3, seen: "1ab", text: "# Needy\n\tRun \u001b]0;x\u0007it." });
    expect(shown).toContain("state      not eligible: It needs NOBODY_SET_THIS: set it.");
    expect(shown).toContain("SKILL.md  120 bytes\n… and 3 more\n\n# Needy\n\tRun  ]0;x it.");
    expect(shown).not.toContain("license");
  });

  it("say what became of them", () => {
    const change = { ...INSTALLED, notes: ["Look."] };
    const signed = { kind: "trusted", keyId: "0123456789abcdef" } as const;
    expect(changeText({ ...change, outcome: "installed", signature: signed })).toBe(
      "weather 1.2.0: installed.\n2 files, skills/weather/SKILL.md, signed by the trusted key 0123456789abcdef.\n! Look.",
    );
    const unsigned = { kind: "unsigned" } as const;
    expect(changeText({ ...change, outcome: "removed", notes: [], signature: unsigned })).toBe(
      "weather 1.2.0: removed.",
    );
  });

  it("are verified file by file, and what differs is named with what to do", () => {
    const files = [
      { path: "SKILL.md", status: "changed" },
      { path: "a.sh", status: "ok" },
    ] as const;
    const told = verificationText({ ...INSTALLED, ok: false, seen: "1ab", files: [...files] });
    expect(told).toContain("accept weather --seen 1ab");
    expect(told).toMatch(/^✗ SKILL\.md: changed\nweather has changed since it was installed\.\nReview the changes/);
    const ok = verificationText({ ...INSTALLED, ok: true, seen: "1ab", files: [{ path: "a.sh", status: "ok" }] });
    expect(ok).toBe("weather is unchanged since it was installed: 1 file.");
  });
});
