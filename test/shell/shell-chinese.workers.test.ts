// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are scripts of a shell
import { expect, test } from "vitest";
import { shellOver } from "./run-shell.ts";

const FILES = {
  "中文.txt": "第一行\n第二行 é\n",
  "lines.sh": 'while read -r line; do echo "$line"; done < 中文.txt\n',
  "array.sh": 'mapfile -t lines < 中文.txt; printf "%s|" "${lines[@]}" 末\n',
  "reads.sh": 'read -r line; printf %s "得到$line"\n',
};

test.each([
  [
    "a loop",
    'while IFS= read -r line || [ -n "$line" ]; do echo "行 $line ${#line}"; done < 中文.txt',
    "行 第一行 3\n行 第二行 é 5\n",
  ],
  ["a pipe", 'cat 中文.txt | while read -r line; do echo "行 $line"; done', "行 第一行\n行 第二行 é\n"],
  ["a comparison", 'read -r x < 中文.txt && [ "$x" = 第一行 ] && echo same', "same\n"],
  ["a condition", 'if read -r x <<< 中; then case $x in 中) echo "是$x";; esac; fi', "是中\n"],
  ["several variables", 'IFS=, read -r a b <<< "甲,乙 丙"; echo "$b-$a"', "乙 丙-甲\n"],
  ["an array of words", 'read -ra w <<< "甲 乙"; echo "${w[1]}${w[0]} ${#w[@]}"', "乙甲 2\n"],
  ["an array of lines", 'mapfile -t a < 中文.txt; echo "一${a[0]}${#a[1]}"', "一第一行5\n"],
  ["the lines of a command", 'readarray -t a < <(cat 中文.txt); echo "一${a[1]}"', "一第二行 é\n"],
  ["REPLY", 'read -r < 中文.txt; echo "一$REPLY"', "一第一行\n"],
  ["a function's variable", 'f() { local x; read -r x < 中文.txt; echo "$x。"; }; f; echo "[$x]"', "第一行。\n[]\n"],
  ["a pipe after it", 'read -r x < 中文.txt; echo "$x" | wc -c; echo "$x" > o; cat o', "10\n第一行\n"],
])("a script reads Chinese text into variables: %s", async (_, script, printed) => {
  const { run } = await shellOver(FILES);
  expect(await run(script)).toMatchObject({ stdout: printed, stderr: "", exitCode: 0 });
});

test.each([
  ["bash lines.sh", "第一行\n第二行 é\n"],
  ["bash lines.sh | cat", "第一行\n第二行 é\n"],
  ["bash lines.sh > o; cat o", "第一行\n第二行 é\n"],
  ['x=$(sh lines.sh); echo "得$x"', "得第一行\n第二行 é\n"],
  ["cat lines.sh | bash -s", "第一行\n第二行 é\n"],
  ["bash -s 甲 <<< 'echo \"$1乙\"'", "甲乙\n"],
  ["bash array.sh", "第一行|第二行 é|末|"],
  ["echo 中 | bash reads.sh", "得到中"],
  ["timeout 5 bash lines.sh", "第一行\n第二行 é\n"],
  ["find . -name '中*' -exec bash -c 'read -r x < \"$1\"; echo \"$x。\"' _ {} \\;", "第一行。\n"],
  ["bash -c 'printf \"\\xe4\\xb8\\xad\\n\"'", "中\n"],
])("a nested shell prints Chinese: %s", async (script, printed) => {
  const { run } = await shellOver(FILES);
  expect(await run(script)).toMatchObject({ stdout: printed, stderr: "", exitCode: 0 });
});

test.each([
  ["set -e; read -r x < /dev/null || true; echo on", "on\n"],
  ["set -e; while read -r x; do :; done < 中文.txt; echo on", "on\n"],
  ["set -e; false && read -r x; echo on", "on\n"],
  ["set -e; ! read -r x < 中文.txt; echo 得$x", "得第一行\n"],
  ["if ! read -r x < 中文.txt; then echo no; fi; ! read -r y < /dev/null && echo 得$x", "得第一行\n"],
  ["set -e; read -r x < /dev/null; echo on", ""],
  ["read -r x < /dev/null; echo $?; read -r x < 中文.txt; echo $?", "1\n0\n"],
  ["set -u; read -ra w <<< ''; echo ${#w[@]}", "0\n"],
  ["read -d '' -r all < 中文.txt; echo $? ${#all}", "1 9\n"],
  ["n=0; while read -r a && read -r b; do n=$((n + 1)); done < 中文.txt; echo $n $b", "1 第二行 é\n"],
])("reading into variables keeps the exit status: %s", async (script, printed) => {
  const { run } = await shellOver(FILES);
  expect((await run(script)).stdout).toBe(printed);
});

test("bytes that are not UTF-8 stay unchanged in variables", async () => {
  const { run } = await shellOver({ "b.bin": Uint8Array.of(0xff, 0xfe, 0x41, 0x0a) });
  expect((await run("read -r x < b.bin; echo ${#x}")).stdout).toBe("3\n");
});

test.each([
  ["bash -e stops.sh", "a\n", 1],
  ["bash -euo pipefail stops.sh", "a\n", 1],
  ["bash -lc 'echo $0 $1' x y", "x y\n", 0],
  ["bash -ec 'false; echo b'", "", 1],
  ["bash -o pipefail -c 'false | true'", "", 1],
  ["bash -- stops.sh", "a\nb\n", 0],
])("bash accepts common options: %s", async (script, printed, exitCode) => {
  const { run } = await shellOver({ "stops.sh": "#!/bin/bash\necho a\nfalse\necho b\n" });
  expect(await run(script)).toMatchObject({ stdout: printed, exitCode });
});

test("reading into variables does not depend on PATH", async () => {
  const { run } = await shellOver(FILES);
  expect(
    await run('old=$PATH; PATH=/nowhere; read -r x < 中文.txt; PATH=$old; [ "$x" = 第一行 ] && echo "是"'),
  ).toMatchObject({
    stdout: "是\n",
    stderr: "",
  });
});
