import { describe, expect, it } from "vitest";
import { sanitizeForPrompt, sanitizeLinesForPrompt } from "../../src/security/sanitize.ts";

/** Every character whose Unicode category is Cc or Cf. */
const INVISIBLE = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\p{Cc}\p{Cf}]/u.test(character));

describe("a value for one line of a prompt", () => {
  it("loses every control and format character that Unicode has", () => {
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

  it("keeps everything that can be seen, in any script", () => {
    const visible = "agents/main/工作区 é ع 👩‍🚀 — “ok” \\ | <b>".replaceAll("\u200d", "");
    expect(sanitizeForPrompt(visible)).toBe(visible);
  });

  it("loses text that is hidden in tag characters, and marks that turn its direction", () => {
    expect(sanitizeForPrompt("safe\u{E0069}\u{E0067}\u{E006E}")).toBe("safe");
    expect(sanitizeForPrompt("\u202egpj.exe\u202c")).toBe("gpj.exe");
  });

  it("is well-formed Unicode afterwards", () => {
    expect(sanitizeForPrompt("a\ud83d")).toBe("a\ufffd");
    expect(sanitizeForPrompt("😀")).toBe("😀");
  });
});

describe("a text of several lines", () => {
  it("keeps its line feeds and tabs and loses the other control and format characters", () => {
    expect(sanitizeLinesForPrompt("a\n\tb")).toBe("a\n\tb");
    for (const character of INVISIBLE.filter((one) => !"\n\t\r".includes(one))) {
      expect(sanitizeLinesForPrompt(`a${character}b`)).toBe("ab");
    }
  });

  it("has one kind of line end", () => {
    expect(sanitizeLinesForPrompt("a\r\nb\rc\n")).toBe("a\nb\nc\n");
  });
});
