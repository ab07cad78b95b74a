import { Bash } from "just-bash/browser";
import { expect, test } from "vitest";
import { PROGRAMS, SHELL_COMMANDS } from "../../src/shell/commands.ts";

test("the shell finds each command that it says it has", async () => {
  const fetch = async () => Promise.reject(new Error("no network"));
  const shell = new Bash({ commands: [...PROGRAMS], fetch, defenseInDepth: false });
  const { stdout } = await shell.exec(SHELL_COMMANDS.map((name) => `command -v ${name} || echo no ${name}`).join("\n"));
  expect(stdout.match(/^no .*/gm)).toBeNull();
  expect(stdout.split("\n")).toContain("/usr/bin/jq");
});

test("commands that run programs of other languages are not there", () => {
  expect(SHELL_COMMANDS).toEqual(expect.arrayContaining(["awk", "bash", "curl", "grep", "jq", "rg", "sed"]));
  for (const name of ["python3", "python", "node", "js-exec", "sqlite3"]) expect(SHELL_COMMANDS).not.toContain(name);
});
