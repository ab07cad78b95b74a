import { expect, test } from "vitest";
import { createMask } from "../../src/security/mask.ts";
import type { OutputSoFar } from "../../src/shell/shell.ts";
import { shellOver } from "./run-shell.ts";

/** Runs a script, and gives what was seen of it before its end and its result. */
async function watched(script: string, given: Parameters<typeof shellOver>[1] = {}) {
  const { run } = await shellOver({ "in.txt": "one\ntwo\n" }, given);
  const seen: OutputSoFar[] = [];
  const result = await run(`${script}\nsleep 0.4`, { onOutput: (soFar) => seen.push(soFar) });
  return { seen, result, last: seen.at(-1)?.text ?? "" };
}

test("each turn of a loop is seen before the next one", async () => {
  const { run } = await shellOver();
  const at: [string, number][] = [];
  const begunAt = Date.now();
  await run("for i in 1 2 3; do echo $i; sleep 0.6; done", {
    onOutput: ({ text }) => at.push([text, Date.now() - begunAt]),
  });
  expect(at.map(([text]) => text)).toEqual(["1\n", "1\n2\n", "1\n2\n3\n"]);
  expect(at[1]![1] - at[0]![1]).toBeGreaterThan(300);
});

test.each([
  [
    "commands, loops, branches and groups",
    "echo a; for i in b c; do echo $i; done; if true; then { echo d; }; fi; (echo e)",
  ],
  ["functions, also in functions", "f() { echo a; g; }; g() { echo b; }; f; g"],
  ["the last command of a pipe", "printf '2\\n1\\n' | sort; seq 2 | while read n; do echo n$n; done"],
  ["a command whose argument is the output of another", 'echo "$(echo a; f() { echo b; }; f)" `echo c`'],
  [
    "scripts within scripts",
    "echo 'echo in; sleep 0.1; echo in2' > s.sh; bash s.sh a; timeout 5 bash -c 'echo t'; eval 'echo e'",
  ],
  [
    "a nested script whose output is taken",
    "x=$(bash -c 'echo hidden; echo no | cat'); echo $x; bash -c 'echo y' | tr y z",
  ],
  ["xargs and find -exec", "seq 2 | xargs -n1 echo x; find . -name 'in.txt' -exec cat {} \\;"],
  ["text in a file", "echo gone > a; { echo gone; echo gone2; } >> a; f() { echo gone3; }; f > b; cat in.txt"],
  ["stderr that goes to stdout", "ls nowhere 2>&1; echo after"],
  ["Chinese, and bytes of a file", "echo 中文; printf '\\xe4\\xb8\\xad\\n' > c; cat c"],
  [
    "here-documents and process substitution",
    "cat <<X\nhere $(echo doc)\nX\ncat <(echo sub)\nwhile read l; do echo l$l; done < in.txt",
  ],
])("%s: what is seen live is what the script prints", async (_, script) => {
  const { last, result } = await watched(script);
  expect(result.stderr).toBe("");
  expect(last).toBe(result.stdout);
});

test("stderr is seen too, unless it goes elsewhere", async () => {
  const { last, result } = await watched(
    "ls no1; ls no2 2>/dev/null; ls no3 |& cat >/dev/null; echo bad >&2; x=$(ls no4)",
  );
  expect(last).toBe(result.stderr);
  expect(last).toMatch(/no1[\s\S]*bad\n[\s\S]*no4/);
  expect(last).not.toMatch(/no2|no3/);
});

test("nothing is seen that goes elsewhere in a function that prints to stderr", async () => {
  const { last } = await watched(
    'f() { x=$(echo taken); echo "said $x"; }; f >&2; y=$(f 2>&1); f >/dev/null 2>&1; echo end',
  );
  expect(last).toBe("end\n");
});

test("exit, return, break, set -e and the status of commands are as without being seen", async () => {
  const { run } = await shellOver();
  const status = await run(
    'x=$(exit 3); echo $?; f() { return 4; }; y=$(f); echo $?; q=$(cd /tmp; pwd); echo $q; while true; do break; done | cat; (exit 2) | cat; echo $?; r=$(read a b <<< "1 2"; echo $b); echo $r; exec 3> /tmp/f; echo to3 >&3; cat /tmp/f; set -e; v=$(false); echo never',
  );
  expect(status).toMatchObject({ stdout: "3\n4\n/tmp\n0\n2\nto3\n", stderr: "", exitCode: 1 });
});

test("a chatty script reports a few times a second, and never more than the end of what it printed", async () => {
  const begunAt = Date.now();
  const { seen, result } = await watched("for i in $(seq 3000); do echo line $i; done");
  expect(result.stdout.length).toBeGreaterThan(28_000);
  expect(seen.length).toBeLessThan(3 + (Date.now() - begunAt) / 250);
  expect(Math.max(...seen.map(({ text }) => text.length))).toBe(4_000);
  expect(seen.at(-1)?.text.endsWith("line 3000\n")).toBe(true);
});

test("secrets are masked in what is seen, also where the beginning of a long output is cut", async () => {
  const value = `key-${"7f3a".repeat(20)}`;
  const { seen } = await watched(`for i in $(seq 400); do echo ${value} end; done`, {
    mask: createMask({ KEY: value }),
  });
  expect(seen.at(-1)?.text).toContain("[redacted:KEY] end");
  for (const { text } of seen) expect(text).not.toMatch(/7f3a/);
});

test("what is seen comes with the hosts that have answered", async () => {
  const fetch = async (url: string) => ({
    ...{ url, status: 200, statusText: "OK", headers: {} },
    body: Uint8Array.from(new TextEncoder().encode("from outside\n")),
  });
  const { seen } = await watched("echo first; sleep 0.4; curl -s https://example.org/", { fetch });
  expect(seen.at(0)).toMatchObject({ text: "first\n", hosts: [], labels: [] });
  expect(seen.at(-1)).toMatchObject({ text: "first\nfrom outside\n", hosts: ["example.org"] });
  expect(seen.at(-1)?.labels).toHaveLength(1);
});
