import { describe, expect, test } from "vitest";
import { escapingReferences } from "../../src/skills/escaping-references.ts";
import { MAX_FRONT_MATTER_CHARS } from "../../src/skills/front-matter.ts";
import { parseSkillFile } from "../../src/skills/parse-skill.ts";
import { readSkillText } from "../../src/skills/read-skill.ts";
import { randomFrom } from "../prompt/random.ts";

const MAX_BYTES = 256_000;
const AT = { source: "workspace", location: "l", baseDir: "b", etag: "e", folder: "f" } as const;

const SEEDS = [
  '---\nname: weather\ndescription: What the weather is.\nmetadata: {"openclaw":{"emoji":"☔","requires":{"bins":["curl"]}}}\n---\n# A\n',
  "---\r\nname: a b\r\ndescription: >-\r\n  Folded: text\r\n  here\r\nuser-invocable: off\r\n---\r\n[x](../y)\r\n",
  "---\nname: x\ndescription: Use when: a\nmetadata:\n  {\n    openclaw: { os: [linux], },\n  }\n---\n{baseDir}/../a\n",
  '---\nname: y\ndescription: "q"\nmetadata:\n  clawdbot:\n    install:\n      - kind: brew\n        formula: jq\n      - {id: 1, kind: node, package: a}\n---\n',
];

const BITS =
  "\n|\r\n|: |:|\"|'|{|}|[|]|,|- |#|*a|&a |>-|\t|  |---\n|...\n|%|@|`|!|!!str |? |\u2028|\ufeff|null|0x1F|.inf|~|<<: |__proto__: x\n|metadata:\n|description: |name:|openclaw|\\|\0|\ud800|😀|//c|/*|toString|](../|{baseDir}/".split(
    "|",
  );

/** A seed with a few things put in, taken out, written over, repeated or moved. */
function mutated(random: () => number): string {
  const below = (end: number) => Math.floor(random() * end);
  let text = SEEDS[below(SEEDS.length)] ?? "";
  for (let changes = 1 + below(6); changes > 0; changes--) {
    const [at, length, bit] = [below(text.length), below(40), BITS[below(BITS.length)] ?? ""];
    const kept = [bit, "", text.slice(at, at + length).repeat(2), text.slice(below(text.length), at)][below(4)];
    text = text.slice(0, at) + kept + text.slice(at + (random() < 0.5 ? 0 : length));
  }
  return text;
}

test("thousands of mutated SKILL.md files are parsed or left out without an exception", async () => {
  const random = randomFrom(20261122);
  let used = 0;
  for (let files = 0; files < 4_000; files++) {
    const text = mutated(random);
    const parsed = await parseSkillFile(new TextEncoder().encode(text), AT);
    if (parsed.kind === "skill") {
      used++;
      expect(parsed.skill.name, text).not.toBe("");
      expect(parsed.skill.description, text).not.toBe("");
      expect(JSON.parse(JSON.stringify(parsed.skill)), text).toEqual(parsed.skill);
    } else {
      expect(parsed.leftOut.code, text).toMatch(/^[a-z_0-9]+$/);
      expect(parsed.leftOut.reason, text).toMatch(/[.)]$/);
    }
  }
  expect(used).toBeGreaterThan(400);
  expect(used).toBeLessThan(3_900);
});

test("random bytes are parsed or left out without an exception", async () => {
  const random = randomFrom(7);
  const fence = new TextEncoder().encode("---\ndescription: a\n");
  for (let files = 0; files < 500; files++) {
    const bytes = Uint8Array.from({ length: Math.floor(random() * 300) }, () => Math.floor(random() * 256));
    await parseSkillFile(bytes, AT);
    await parseSkillFile(new Uint8Array([...fence, ...bytes, ...new TextEncoder().encode("\n---\n")]), AT);
  }
});

/**
 * What takes the square of its length with a careless pattern or parser takes minutes at this size, and the test's time ends.
 * Twice the size takes about twice the time.
 */
describe("parsing time of the largest files", () => {
  const filled = (bit: string, chars: number) => bit.repeat(Math.ceil(chars / bit.length)).slice(0, chars);
  const numbered = (chars: number, line: (at: number) => string) => {
    const lines = [];
    for (let length = 0, at = 0; length < chars; at++) length += lines[lines.push(line(at)) - 1]?.length ?? 0;
    return lines.join("").slice(0, chars);
  };
  const CHARS = MAX_FRONT_MATTER_CHARS - 200;

  test.each([
    ["keys", numbered(CHARS, (at) => `k${at}:\n`)],
    ["keys on one line", `{${numbered(CHARS, (at) => `k${at}: [],`)}}`],
    ["anchors and aliases", numbered(CHARS, (at) => `a${at}: &x${at} 1\nb${at}: *x${at}\n`)],
    ["the same key", filled("a: 1\n", CHARS)],
    ["brackets", filled("[", CHARS)],
    ["braces", filled("{a: ", CHARS)],
    ["hyphens", filled("- ", CHARS)],
    ["colons", filled("a: ", CHARS)],
    ["spaces before a separator", `description:${filled(" ", CHARS)}x: y\u2028`],
    ["quotes", `a: '${filled("'' ", CHARS)}`],
    ["empty lines below a key", filled("a:\n ", CHARS)],
    ["tags", filled("!a ", CHARS)],
    ["comments", filled("#\n", CHARS)],
    ["JSON", `metadata: '{"openclaw":{"a":${filled("[", CHARS)}'`],
    ["a description to mend", `description: ${filled("a: ", CHARS)}`],
  ])("the largest front matter of %s is parsed in time", (_, block) => {
    expect(() => readSkillText(`---\n${block}\n---\n`)).not.toThrow();
    expect(() => readSkillText(`---\n${block}`)).not.toThrow();
  });

  test.each([
    "](",
    "](  ",
    "[a",
    "[a]: ",
    "\n[a",
    "src=",
    "src  ",
    "{baseDir}",
    "{baseDir}/../",
    "](%",
    "](a/",
    "---\n",
    "--- ",
    "\r",
  ])("the largest text of %j is parsed in time", async (bit) => {
    const text = `---\ndescription: a\n---\n${filled(bit, MAX_BYTES)}`;
    expect(escapingReferences(text).length).toBeLessThanOrEqual(20);
    expect(await parseSkillFile(new TextEncoder().encode(text), AT)).toMatchObject({ kind: "skill" });
    readSkillText(filled(bit, MAX_BYTES));
  });
});
