import { describe, expect, test } from "vitest";
import { DRAWN, readMarkdown, type ShownMarkdown } from "../../src/channels/markdown.ts";
import { plainText, type StyledRun } from "../../src/channels/styled-text.ts";

const LINKED: ShownMarkdown = { ...DRAWN, canLink: URL.canParse };

function read(markdown: string, shows = LINKED): StyledRun[] {
  return readMarkdown(markdown, shows);
}

/** The words with a mark. */
function marked(kind: string, markdown: string): string[] {
  const found: string[] = [];
  let last: unknown;
  for (const { text, marks } of read(markdown)) {
    const mark = marks.find((each) => each.kind === kind);
    if (mark !== undefined && mark === last) found.push(found.pop() + text);
    else if (mark !== undefined) found.push(text);
    last = mark;
  }
  return found;
}

describe("emphasis in Markdown", () => {
  test("beside Chinese, Japanese and Korean needs no spaces, whatever punctuation it begins or ends with", () => {
    expect(marked("bold", "这是**重要的。**内容，**「引号」**后面，**“双引号”**也是")).toEqual([
      "重要的。",
      "「引号」",
      "“双引号”",
    ]);
    expect(marked("bold", "**标签：**正文 **复现：**10 轮，请看**`代码`**和**[链接](https://a.example)**。")).toEqual([
      "标签：",
      "复现：",
      "代码",
      "链接",
    ]);
    expect(marked("bold", "これは**「重要」**です。**マークダウン(Markdown)**を使う")).toEqual([
      "「重要」",
      "マークダウン(Markdown)",
    ]);
    expect(marked("bold", "**마크다운(Markdown)**을 사용")).toEqual(["마크다운(Markdown)"]);
    expect(marked("italic", "还有*斜体。*和")).toEqual(["斜体。"]);
    expect(marked("strike", "还有~~删除。~~字")).toEqual(["删除。"]);
  });

  test("follows CommonMark elsewhere", () => {
    expect(marked("bold", 'a **b** __c__ **d*e*f** g**h**i ** j** a**"k"**l')).toEqual(["b", "c", "def", "h"]);
    expect(marked("italic", "snake_case_name _a_ *b*c ***d*** *e")).toEqual(["a", "b", "d"]);
    expect(marked("code", "`a` ``b ` c`` `**d**`")).toEqual(["a", "b ` c", "**d**"]);
  });

  test("is no product of numbers", () => {
    expect(plainText(read("2*3*4 = 24, 2 * 3, *2*"))).toBe("2*3*4 = 24, 2 * 3, 2");
  });
});

describe("what Markdown keeps of its structure", () => {
  test("is what the platform shows: headings, tables, tasks and rules", () => {
    const source = "# a\n\n## b\n\n| c | d |\n|:-:|---|\n| e | f |\n\n- [x] g\n\n***";
    expect(plainText(read(source))).toBe("a\n\nb\n\nc | d\n--+--\ne | f\n\n☑ g\n\n———");
    const shows: ShownMarkdown = { ...LINKED, headings: 1, tables: "kept", tasks: ["- [x] ", "- [ ] "], rule: "***" };
    expect(plainText(read(source, shows))).toBe("a\n\nb\n\n| e | f |\n\n- [x] g\n\n***");
    const [a, , b] = read(source, shows);
    expect([a, b].map((run) => run?.marks[0]?.kind)).toEqual(["heading", "bold"]);
    const table = read(source, shows).flatMap(({ marks }) => marks.find(({ kind }) => kind === "table") ?? [])[0];
    expect(table?.kind === "table" && plainText(table.head)).toBe("| c | d |\n| :-: | --- |\n");
  });

  test("leaves a table with a very long row drawn, since a row is not cut", () => {
    const source = `| a | b |\n|---|---|\n| ${"c".repeat(3_000)} | d |`;
    const runs = read(source, { ...LINKED, tables: "kept" });
    expect(runs[0]?.marks[0]?.kind).toBe("preformatted");
  });

  test("draws columns that are not wider for one long cell", () => {
    const source = `| a | b |\n|---|---|\n| ${"c".repeat(200)} | d |\n| e | f |`;
    expect(plainText(read(source)).split("\n")[3]).toBe(`e${" ".repeat(59)} | f`);
  });

  test("writes out addresses that cannot be links, and keeps those that are their own label", () => {
    const source = "[a](/b) ![c](https://d.example) <https://e.example> [https://f.example](https://f.example) [](g)";
    expect(plainText(read(source, DRAWN))).toBe("a (/b) c (https://d.example) https://e.example https://f.example g");
    expect(marked("link", source)).toEqual(["c"]);
    expect(read('[a](<b c|"d">)', { ...DRAWN, canLink: () => true })[0]?.marks).toEqual([
      { kind: "link", href: "b%20c%7C%22d%22" },
    ]);
  });
});

describe("no word of Markdown is lost", () => {
  test("in quotes and lists deeper than any platform shows", () => {
    for (const sign of ["> ", "- ", "1. "]) {
      const deep = `${sign.repeat(200)}word\n\nafter`;
      const text = plainText(read(deep));
      expect(text).toContain("word");
      expect(text).toMatch(/\n\nafter$/);
    }
  });

  test("behind the longest text that is parsed", () => {
    const paragraph = `**bold** ${"word ".repeat(100)}\n\n`;
    const runs = read(`${paragraph.repeat(1_000)}**end**`);
    expect(marked("bold", paragraph.repeat(1_000)).length).toBeGreaterThan(400);
    expect(plainText(runs)).toMatch(/\n\n\*\*end\*\*$/);
    expect(plainText(runs).match(/bold/g)).toHaveLength(1_000);
  });

  test("where nothing would be visible", () => {
    for (const source of ["[a]: https://a.example", "```\n```", "[](<>)"]) expect(plainText(read(source))).toBe(source);
  });
});
