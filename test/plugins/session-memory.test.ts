import { expect, test } from "vitest";
import { notePath } from "../../src/plugins/session-memory.ts";

/** 30 December 2026, 23:30 in London. */
const AT = Date.UTC(2026, 11, 30, 23, 30);
const ended = { at: AT, endedSessionId: "ses_01m7zqgb759vtqj6s13pqeqd9p" };

const pathFor = (text: string, zone = "Europe/London") => notePath(ended, [{ role: "user", at: AT, text }], zone);

test("a session note's name has the local date, the first words, and the end of the session id", () => {
  expect(pathFor("Plan a trip")).toBe("memory/2026-12-30-plan-a-trip-3pqeqd9p.md");
  expect(pathFor("Plan a trip", "Asia/Shanghai")).toBe("memory/2026-12-31-plan-a-trip-3pqeqd9p.md");
});

test("a session note's name is a valid, short path for any first message", () => {
  const said = [
    "../../etc/passwd",
    "a/b\\c",
    "\u0000\u202e tricky",
    "…",
    "",
    "🎉🎉",
    `${"long ".repeat(40)}`,
    "x".repeat(200),
  ];
  for (const text of said) {
    const path = pathFor(text);
    expect(path).toMatch(/^memory\/2026-12-30-[\p{L}\p{N}-]*3pqeqd9p\.md$/u);
    expect(path.length).toBeLessThan(80);
    expect(path).not.toMatch(/--/);
  }
});

test("a session note's slug keeps all scripts and drops a partial word", () => {
  expect(pathFor("帮我订机票")).toBe("memory/2026-12-30-帮我订机票-3pqeqd9p.md");
  expect(pathFor("Über Öl und Größe")).toBe("memory/2026-12-30-über-öl-und-größe-3pqeqd9p.md");
  expect(pathFor("one two three four five six seven eight-nine")).toBe(
    "memory/2026-12-30-one-two-three-four-five-six-seven-eight-3pqeqd9p.md",
  );
});
