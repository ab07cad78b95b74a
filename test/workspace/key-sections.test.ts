import { expect, test } from "vitest";
import { extractKeySections } from "../../src/workspace/read-text.ts";

test("the sections that matter most are found by their headings, with what is below them", () => {
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

test("where there are none there is nothing, and what is too long is cut between characters", () => {
  expect(extractKeySections("# AGENTS.md\nRed lines: none.")).toBe("");
  const long = extractKeySections(`# Red Lines\n${"😀".repeat(9000)}`);
  expect(long.length).toBeLessThanOrEqual(8000);
  expect(long.isWellFormed()).toBe(true);
});

test("takes no longer for a heading of spaces than for any other line", () => {
  expect(extractKeySections(`# Plan${" ".repeat(400_000)}.\n## Red Lines ##\nNever.`)).toBe("## Red Lines ##\nNever.");
});
