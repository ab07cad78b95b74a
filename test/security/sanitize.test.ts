import { describe, expect, it } from "vitest";
import { sanitizeForPrompt, sanitizeLinesForPrompt } from "../../src/security/sanitize.ts";

/** Every character whose Unicode category is Cc or Cf. */
const INVISIBLE = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\p{Cc}\p{Cf}]/u.test(character));

describe("sanitizing a value for one line of a prompt", () => {
  it("removes every control and format character of Unicode", () => {
    expect(INVISIBLE.length).toBeGreaterThan(200);
    for (const character of INVISIBLE) {
      expect(sanitizeForPrompt(`a${character}b`)).toMatch(/^a ?b$/);
    }
  });

  it.each(["\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029", "\n\n\n"])(
    "becomes one line: %j is a space",
    (lineBreak) => {
      expect(sanitizeForPrompt(`name${lineBreak}## Safety`)).toBe("name ## Safety");
    },
  );

  it("keeps visible text of every script", () => {
    const visible = "agents/main/工作区 é ع 👩‍🚀 — “ok” \\ | <b>".replaceAll("\u200d", "");
    expect(sanitizeForPrompt(visible)).toBe(visible);
  });

  it("removes text in tag characters and bidirectional overrides", () => {
    expect(sanitizeForPrompt("safe\u{E0069}\u{E0067}\u{E006E}")).toBe("safe");
    expect(sanitizeForPrompt("\u202egpj.exe\u202c")).toBe("gpj.exe");
  });

  it("gives well-formed Unicode", () => {
    expect(sanitizeForPrompt("a\ud83d")).toBe("a\ufffd");
    expect(sanitizeForPrompt("😀")).toBe("😀");
  });
});

describe("sanitizing a text of several lines", () => {
  it("keeps line feeds and tabs and removes other control and format characters", () => {
    expect(sanitizeLinesForPrompt("a\n\tb")).toBe("a\n\tb");
    for (const character of INVISIBLE.filter((one) => !"\n\t\r".includes(one))) {
      expect(sanitizeLinesForPrompt(`a${character}b`)).toBe("ab");
    }
  });

  it("normalizes line endings", () => {
    expect(sanitizeLinesForPrompt("a\r\nb\rc\n")).toBe("a\nb\nc\n");
  });
});
