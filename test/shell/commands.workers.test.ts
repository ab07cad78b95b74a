import { getCommandNames, getNetworkCommandNames } from "just-bash/browser";
import { expect, test } from "vitest";
import { LEFT_OUT, PROGRAMS, SHELL_COMMANDS } from "../../src/shell/commands.ts";
import { shellOver } from "./run-shell.ts";

const OWN = ["mktemp", "realpath", "tar", "unzip", "yq", "zip"];

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

test("a program that is not here fails with what to do instead, wherever its error goes", async () => {
  const { run } = await shellOver({ "s.sh": "pip install x\n" });
  const { stderr, exitCode } = await run("git clone x; bash s.sh; python3 -c 1");
  expect(stderr).toMatch(
    /^bash: git: command not found \(.*curl.*\)\nbash: pip: .*installed.*\nbash: python3: .*awk.*\)\n$/,
  );
  expect(exitCode).toBe(127);
  expect((await run("x=$(sudo ls 2>&1); echo $x")).stdout).toMatch(
    /sudo: command not found \(there are no other users/,
  );
  expect((await run("frobnicate")).stderr).toBe("bash: frobnicate: command not found\n");
  expect((await run("command -v git || echo none")).stdout).toBe("none\n");
});

test("every program of just-bash is offered, or left out on purpose", () => {
  expect([...PROGRAMS, ...LEFT_OUT].sort()).toEqual(getCommandNames().sort());
  expect(SHELL_COMMANDS).toEqual([...PROGRAMS, ...getNetworkCommandNames(), ...OWN].sort());
});
