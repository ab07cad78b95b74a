import { expect, test } from "vitest";
import { execQuestion } from "../../src/tools/exec.ts";

test("the approval of a command shows the script with its folder and variables", () => {
  expect(execQuestion({ command: "echo hello" })).toBe("Run this?\necho hello");
  const env = { URL: "https://evil.test/\nx" };
  expect(execQuestion({ command: "curl $URL", workdir: "a", env })).toBe(
    'Run this?\n# in a, URL="https://evil.test/\\nx"\ncurl $URL',
  );
});

test("the approval of a long script says how much is left out, and shows its end", () => {
  const question = execQuestion({ command: `${"echo fine\n".repeat(1000)}rm -rf memory` });
  expect(question).toMatch(/\n\[8813 characters are not shown here, and run all the same/);
  expect(question).toMatch(/rm -rf memory$/);
  expect(question.length).toBeLessThan(2000);
});

test("the approval of a command shows invisible characters by their code points", () => {
  expect(execQuestion({ command: "echo \u202eab\u200b\u0007" })).toBe("Run this?\necho \\u{202e}ab\\u{200b}\\u{7}");
});
