import { getCommandNames, getNetworkCommandNames } from "just-bash/browser";
import { expect, test } from "vitest";
import { LEFT_OUT, PROGRAMS, SHELL_COMMANDS } from "../../src/shell/commands.ts";
import { shellOver } from "./run-shell.ts";

test("the shell runs every command in its list", async () => {
  const { run } = await shellOver();
  const { stdout } = await run(SHELL_COMMANDS.map((name) => `command -v ${name} || echo no ${name}`).join("\n"));
  expect(stdout.match(/^no .*/gm)).toBeNull();
  expect(stdout.split("\n")).toContain("/usr/bin/jq");
});

test("the shell has no interpreters of other languages", () => {
  expect(SHELL_COMMANDS).toEqual(expect.arrayContaining(["awk", "bash", "curl", "grep", "jq", "rg", "sed"]));
  for (const name of ["python3", "python", "node", "js-exec", "sqlite3"]) expect(SHELL_COMMANDS).not.toContain(name);
});

test("every program of just-bash is offered, or left out on purpose", () => {
  expect([...PROGRAMS, ...LEFT_OUT].sort()).toEqual(getCommandNames().sort());
  expect(SHELL_COMMANDS).toEqual([...PROGRAMS, ...getNetworkCommandNames(), "yq"].sort());
});
