import { expect, test } from "vitest";
import { escapingReferences } from "../../src/skills/escaping-references.ts";

test.each([
  "[x](../other/SKILL.md)",
  "![x](a/../../b.png)",
  "[x](<../a>)",
  "[x]( ../a 'title')",
  "[x](..)",
  "[x](%2e%2e/secret)",
  "[x](..%2fsecret)",
  "[x](..\\secret)",
  "[x](./a/./../../b#part)",
  "[x]: ../a",
  '<a href="../a">',
  "<img src=../a>",
  "run `cat {baseDir}/../../secret`",
  "run {baseDir}/a/../../b and more",
  "run {baseDir}\\..\\b",
])("the reference in %j leaves the skill's folder", (text) => {
  expect(escapingReferences(`# A\n${text}\n`)).toHaveLength(1);
});

test.each([
  "[x](references/a.md)",
  "[x](a/../b.md)",
  "[x](./a)",
  "[x](#part)",
  "[x](https://a.b/../c)",
  "[x](mailto:a@b.c)",
  "[x](/docs/../a)",
  "[x](a..b/...)",
  "[x](?q=../../a)",
  "run {baseDir}/scripts/a.sh ../b",
  "cd .. and ../up",
  "[a]: see below",
])("the reference in %j stays in the skill's folder", (text) => {
  expect(escapingReferences(`# A\n${text}\n`)).toEqual([]);
});

test("each escaping reference is listed once as written, at most twenty", () => {
  expect(escapingReferences("[a](../x) [b](../x) [c](../y) {baseDir}/../x")).toEqual([
    "../x",
    "../y",
    "{baseDir}/../x",
  ]);
  const many = Array.from({ length: 50 }, (_, at) => `[a](../${at})`).join(" ");
  expect(escapingReferences(many)).toHaveLength(20);
  expect(escapingReferences(`[a](../${"x".repeat(5_000)})`)[0]).toHaveLength(200);
});
