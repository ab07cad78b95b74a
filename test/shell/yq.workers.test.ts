import { expect, test } from "vitest";
import { shellOver } from "./run-shell.ts";

const FILES = {
  "a.yaml": "name: 北京\nports: [80, 443]\nopts: &o {on: true}\nmore: *o\n",
  "two.yaml": "a: 1\n---\na: 2\n",
};

test.each([
  ["yq .name a.yaml", "北京\n"],
  ["yq -r '.ports[]' a.yaml", "80\n443\n"],
  ["yq .more a.yaml", "on: true\n"],
  ["yq -o json .more a.yaml", '{\n  "on": true\n}\n'],
  ["yq eval -o=json '.ports | length' - < a.yaml", "2\n"],
  ["cat two.yaml | yq .a", "1\n2\n"],
  ["echo '{\"a\": [1]}' | yq .", "a:\n  - 1\n"],
  ["bash -c 'x=$(yq .name a.yaml); echo $x'", "北京\n"],
])("yq reads YAML: %s", async (script, printed) => {
  const { run } = await shellOver(FILES);
  expect(await run(script)).toMatchObject({ stdout: printed, stderr: "", exitCode: 0 });
});

test.each([
  ["echo 'a: [1' | yq .a", "yq: "],
  ["yq .a gone.yaml", "no such file"],
  ["yq -i '.a = 1' two.yaml", "does not know -i"],
  ["yq -o xml . a.yaml", "not xml"],
  ["yq '.[' a.yaml", "yq: "],
  ["yq . big.yaml", "256 KiB at most"],
  ["yq . bomb.yaml", "alias"],
])("yq reports what it does not support: %s", async (script, said) => {
  const rows = [
    "a: &a [x, x]",
    ..."bcdefghijklm".split("").map((name, at) => `${name}: &${name} [${`*${"abcdefghijkl"[at]}, `.repeat(9)}]`),
  ];
  const { run } = await shellOver({ ...FILES, "big.yaml": "a: 1\n".repeat(60_000), "bomb.yaml": rows.join("\n") });
  const result = await run(script);
  expect(result.exitCode).toBeGreaterThan(0);
  expect(result.stderr).toContain(said);
});

test.each([
  ["printf 'a\\nb\\n' | xargs -n1 echo -n1", "-n1 a\n-n1 b\n"],
  ["printf 'a\\nb\\n' | xargs -I{} echo '<{}>'", "<a>\n<b>\n"],
  ["printf 'a,b' | xargs -d, -n 1 echo", "a\nb\n"],
  ["printf 'a\\0b' | xargs -0 -n1 -P2 echo", "a\nb\n"],
  ["echo a b | xargs", "a b\n"],
])("xargs accepts attached option values: %s", async (script, printed) => {
  const { run } = await shellOver();
  expect(await run(script)).toMatchObject({ stdout: printed, stderr: "" });
});
