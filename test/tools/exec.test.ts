import { expect, test } from "vitest";
import { execQuestion } from "../../src/tools/exec.ts";

test("an owner is shown the script with all that it is given", () => {
  expect(execQuestion({ command: "echo hello" })).toBe("Run this?\necho hello");
  const env = { URL: "https://evil.test/\nx" };
  expect(execQuestion({ command: "curl $URL", workdir: "a", env })).toBe(
    'Run this?\n# in a, URL="https://evil.test/\\nx"\ncurl $URL',
  );
});

test("a script that is too long says so where it is cut, and shows its end", () => {
  const question = execQuestion({ command: `${"echo fine\n".repeat(1000)}rm -rf memory` });
  expect(question).toMatch(/\n\[8813 characters are not shown here, and run all the same/);
  expect(question).toMatch(/rm -rf memory$/);
  expect(question.length).toBeLessThan(2000);
});

test("characters that nobody would see are written by their number", () => {
  expect(execQuestion({ command: "echo \u202eab\u200b\u0007" })).toBe("Run this?\necho \\u{202e}ab\\u{200b}\\u{7}");
});
