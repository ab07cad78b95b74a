import { expect, test } from "vitest";
import { extractKeySections } from "../../src/workspace/read-text.ts";

test("key sections of AGENTS.md are found by their headings, with their subsections", () => {
  const text = [
    "# AGENTS.md",
    "Hello.",
    "## Session Startup ##\r",
    "Read the plan.",
    "### First",
    "Look at the date.",
    "## Notes",
    "Not this.",
    "### RED LINES",
    "Never post.",
    "```sh",
    "## Safety is no heading in code",
    "```",
    "#### Ever",
    "Never.",
    "## End",
    "Nor this.",
  ].join("\n");
  expect(extractKeySections(text)).toBe(
    [
      "## Session Startup ##\nRead the plan.\n### First\nLook at the date.",
      "### RED LINES\nNever post.\n```sh\n## Safety is no heading in code\n```\n#### Ever\nNever.",
    ].join("\n\n"),
  );
});

test("key sections are empty if there are none, and are cut between graphemes if too long", () => {
  expect(extractKeySections("# AGENTS.md\nRed lines: none.")).toBe("");
  const long = extractKeySections(`# Red Lines\n${"😀".repeat(9000)}`);
  expect(long.length).toBeLessThanOrEqual(8000);
  expect(long.isWellFormed()).toBe(true);
});

test("extracting key sections takes no longer for a heading of spaces", () => {
  expect(extractKeySections(`# Plan${" ".repeat(400_000)}.\n## Red Lines ##\nNever.`)).toBe("## Red Lines ##\nNever.");
});
