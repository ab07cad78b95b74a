import { describe, expect, test } from "vitest";
import { MAX_FRONT_MATTER_CHARS, readFrontMatter } from "../../src/skills/front-matter.ts";

/** The fields between two fences, or the code of what is wrong with them. */
function fields(...lines: string[]): Record<string, string> | string {
  const matter = readFrontMatter(["---", ...lines, "---", "body"].join("\n"));
  return matter.kind === "broken" ? matter.code : Object.fromEntries(matter.fields);
}

describe("finding front matter", () => {
  test("front matter stands between two lines of three hyphens at the start, and the rest is the body", () => {
    expect(readFrontMatter("---\nname: a\n---\n# A\n\ntext\n")).toEqual({
      kind: "read",
      fields: new Map([["name", "a"]]),
      body: "# A\n\ntext\n",
      isRepaired: false,
      isThere: true,
    });
  });

  test.each([
    ["CRLF", "---\r\nname: a\r\n---\r\nbody"],
    ["lone carriage returns", "---\rname: a\r---\rbody"],
    ["a byte order mark", "\uFEFF---\nname: a\n---\nbody"],
    ["spaces after the hyphens", "---  \t\nname: a\n--- \nbody"],
  ])("front matter with %s is found", (_, text) => {
    expect(readFrontMatter(text)).toMatchObject({ fields: new Map([["name", "a"]]), body: "body" });
  });

  test.each([
    ["no text at all", ""],
    ["a heading first", "# A\n---\nname: a\n---\n"],
    ["an empty line first", "\n---\nname: a\n---\n"],
    ["four hyphens", "----\nname: a\n---\n"],
    ["nothing but hyphens", "---"],
    ["two byte order marks", "\uFEFF\uFEFF---\nname: a\n---\n"],
  ])("a text with %s has no front matter", (_, text) => {
    expect(readFrontMatter(text)).toMatchObject({ kind: "read", fields: new Map(), isThere: false });
  });

  test("front matter may be empty", () => {
    expect(readFrontMatter("---\n---\nbody")).toMatchObject({ fields: new Map(), body: "body", isThere: true });
  });

  test("front matter ends at the first fence, and without one it is broken", () => {
    expect(readFrontMatter("---\na: 1\n---\nb: 2\n---\n")).toMatchObject({ body: "b: 2\n---\n" });
    expect(readFrontMatter("---\nname: a\n")).toMatchObject({ kind: "broken", code: "UNTERMINATED" });
    expect(readFrontMatter("---\nname: a\n--- end")).toMatchObject({ kind: "broken", code: "UNTERMINATED" });
  });

  test("front matter above the length limit is broken", () => {
    const text = (chars: number) => `---\n${"#".repeat(chars - 9)}\nname: a\n---\n`;
    expect(readFrontMatter(text(MAX_FRONT_MATTER_CHARS + 1))).toMatchObject({ kind: "read" });
    // Hundreds of the slowest have to be read within one turn's time.
    expect(MAX_FRONT_MATTER_CHARS).toBeLessThan(20_000);
    expect(readFrontMatter(text(MAX_FRONT_MATTER_CHARS + 2))).toMatchObject({ kind: "broken", code: "TOO_LARGE" });
  });
});

describe("fields of front matter", () => {
  test("a scalar field is a trimmed string, whatever its YAML type", () => {
    expect(fields("version: 1.0", "draft: true", "hex: 0x1F", "when: 2026-01-01", "yes: no", 'q: "  a "')).toEqual({
      version: "1",
      draft: "true",
      hex: "31",
      when: "2026-01-01",
      yes: "no",
      q: "a",
    });
  });

  test("a field may be folded, literal or multi-line", () => {
    expect(
      fields("a: >-", "  one", "  two", "b: |", "  one", "  two", "c: one", "  two", "d:", "  one", "  two"),
    ).toEqual({
      a: "one two",
      b: "one\ntwo",
      c: "one two",
      d: "one two",
    });
  });

  test("a list or mapping becomes JSON", () => {
    expect(fields("list:", "  - a", "  - 2", "map:", "  x: {y: [1, null]}")).toEqual({
      list: '["a",2]',
      map: '{"x":{"y":[1,null]}}',
    });
  });

  test("a flow list or mapping with a colon on the key's line stays text", () => {
    expect(fields('metadata: { "openclaw": { os: [a] } }', "tags: [a, b]")).toEqual({
      metadata: '{ "openclaw": { os: [a] } }',
      tags: '["a","b"]',
    });
    expect(fields('metadata: {"a": {', '  "b": 1}}')).toEqual({ metadata: '{"a": {' });
  });

  test("a flow list or mapping that starts below the key becomes JSON", () => {
    expect(fields("metadata:", "  {", '    "openclaw":', "      {", "        os: [a],", "      },", "  }")).toEqual({
      metadata: '{"openclaw":{"os":["a"]}}',
    });
  });

  test("a key without a YAML value takes the text of its line", () => {
    expect(fields("name: # a", "note: ~", "empty:", "nothing: null")).toEqual({
      name: "# a",
      note: "~",
      nothing: "null",
    });
  });

  test("an alias is resolved, and a mapping that contains itself is dropped", () => {
    expect(fields("a: &x {k: 1}", "b: *x", "c: &y [*y]")).toMatchObject({ b: '{"k":1}' });
    expect(fields("c: &y [*y]")).toEqual({ c: "&y [*y]" });
  });

  test("keys are trimmed and may have any name", () => {
    expect(fields('" name ": a', "__proto__: b", "toString: c", "? [x]", ": d")).toEqual(
      Object.fromEntries([
        ["name", "a"],
        ["__proto__", "b"],
        ["toString", "c"],
        ["[ x ]", "d"],
      ]),
    );
  });
});

describe("repair of an unquoted description", () => {
  test.each([
    ["a colon", "Use when: a, b", "Use when: a, b"],
    ["several colons", "a: b: c", "a: b: c"],
    ["a star", "*Bold* words", "*Bold* words"],
    ["text after a closing quote", '"Yes" is: a word', '"Yes" is: a word'],
    ["a bracket", "[x] does: y", "[x] does: y"],
    ["an at sign", "@home does it", "@home does it"],
    ["a backtick", "`ls` lists", "`ls` lists"],
  ])("a description with %s is read as if it were quoted", (_, written, read) => {
    const matter = readFrontMatter(`---\nname: a\ndescription: ${written}\nlicense: MIT\n---\n`);
    expect(matter).toMatchObject({ kind: "read", isRepaired: true });
    expect(fields("name: a", `description: ${written}`, "license: MIT")).toEqual({
      name: "a",
      description: read,
      license: "MIT",
    });
  });

  test("a description under a quoted key is repaired, and loses its own quotes", () => {
    expect(fields(`"description": a: b`)).toEqual({ description: "a: b" });
    expect(fields('description: "a" b: "c"')).toEqual({ description: 'a" b: "c' });
  });

  test("a summary or read_when is repaired only if it contains a colon", () => {
    expect(fields("description: a: b", "summary: c: d", "read_when: e: f")).toEqual({
      description: "a: b",
      summary: "c: d",
      read_when: "e: f",
    });
    expect(fields("summary: *bold* c")).toMatch(/^[A-Z_]+$/);
  });

  test("a description is not repaired if the error is elsewhere", () => {
    expect(fields("description: a: b", "other: c: d")).toBe("BLOCK_AS_IMPLICIT_KEY");
    expect(fields("name: a: b", "description: c")).toBe("BLOCK_AS_IMPLICIT_KEY");
    expect(fields("outer:", "  description: a: b")).toBe("BLOCK_AS_IMPLICIT_KEY");
    expect(fields("description: fine", 'metadata: {"a":\\["b"]}')).toMatch(/^[A-Z_]+$/);
  });
});

describe("broken front matter", () => {
  test.each([
    ["a list", ["- a", "- b"], "NO_MAPPING"],
    ["a sentence", ["just words"], "NO_MAPPING"],
    ["a comment alone", ["# note"], "NO_MAPPING"],
    ["a key twice", ["name: a", "name: b"], "DUPLICATE_KEY"],
    ["a key twice further in", ["name: a", "x:", "  - {b: 1, b: 2}"], "DUPLICATE_KEY"],
    ["a tab for indentation", ["name: a", "x:", "\ty: 1"], "TAB_AS_INDENT"],
    ["a line without a key", ["name: a", "more"], "MISSING_CHAR"],
    ["a flow that does not end", ["metadata: {a: b"], "BAD_INDENT"],
    ["an alias to nothing", ["name: *a"], "EXCEPTION"],
  ])("front matter with %s is reported as broken", (_, lines, code) => {
    expect(fields(...lines)).toBe(code);
  });

  test("exponential aliases are reported as broken without using memory", () => {
    const grown = "bcdefghi".split("").map((key, at) => `${key}: &${key} [${`*${"abcdefghi"[at]},`.repeat(9)}]`);
    expect(fields("a: &a [x,x,x,x,x,x,x,x,x]", ...grown)).toBe("EXCEPTION");
  });

  test("the reason for broken front matter is one bounded sentence without control characters", () => {
    const matter = readFrontMatter(`---\nname: *${"a\u0007".repeat(400)}\n---\n`);
    expect(matter.kind).toBe("broken");
    const { message } = matter as { message: string };
    expect(message.length).toBeLessThanOrEqual(200);
    expect(message).not.toContain("\u0007");
  });
});
