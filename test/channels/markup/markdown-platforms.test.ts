import StandardParser, { type Token } from "markdown-it";
import { describe, expect, test } from "vitest";
import { readMarkdown } from "../../../src/channels/markdown.ts";
import {
  dingtalkMarkup,
  discordMarkup,
  feishuMarkup,
  githubMarkup,
  teamsMarkup,
} from "../../../src/channels/markup/markdown-platforms.ts";
import { formatMessages, type Markup } from "../../../src/channels/markup/markup.ts";
import { wecomMarkup } from "../../../src/channels/markup/wecom.ts";
import type { StyledRun } from "../../../src/channels/styled-text.ts";
import { smaller } from "./platforms.ts";
import { numbers, PIECES, scribble } from "./random-markdown.ts";

const ZWSP = "\u200b";
const WJ = "\u2060";

function one(markdown: string, markup: Markup): string {
  const parts = formatMessages(markdown, markup);
  expect(parts).toHaveLength(1);
  return parts[0]!;
}

const github = (markdown: string) => one(markdown, githubMarkup);
const discord = (markdown: string) => one(markdown, discordMarkup);
const teams = (markdown: string) => one(markdown, teamsMarkup);
const feishu = (markdown: string) => one(markdown, feishuMarkup);
const dingtalk = (markdown: string) => one(markdown, dingtalkMarkup);
const wecom = (markdown: string) => one(markdown, wecomMarkup);

describe("GitHub's Markdown", () => {
  test("keeps headings, lists, tables, tasks, rules and code", () => {
    const source =
      "# a\n\n###### b\n\n- c\n  - d\n\n7. e\n   ```js\n   f();\n   ```\n\n| g | h |\n| :-- | --- |\n| `i\\|j` | **k** |\n\n- [x] l\n- [ ] m\n\n***\n\n> n\n>\n> > o";
    expect(github(source)).toBe(source);
  });

  test("has emphasis that CommonMark takes for it", () => {
    expect(github("字，**「引号」**后面**重要的。**内容")).toBe(`字，**「引号」${WJ}**后面**重要的。${WJ}**内容`);
    expect(github("请看**`代码`**和")).toBe(`请看**${WJ}\`代码\`${WJ}**和`);
    expect(github("**a**_b_ ***c*** **d _e_**")).toBe(`**a**${WJ}*b* ***c*** **d *e***`);
  });

  test("escapes what would be markup, and no more", () => {
    expect(github("\\*a\\* \\_b\\_ c_d e * f \\`g\\` \\[h](i) \\~j <k> &amp;lt; 5 > 3 1 < 2 && a | b")).toBe(
      "\\*a\\* \\_b\\_ c_d e * f \\`g\\` [h\\](i) \\~j \\<k> \\&lt; 5 > 3 1 < 2 && a | b",
    );
    expect(github("\\# a\n\\- b\n1\\. c\n\\> d\n\\+ e\na\n\\===\n- \\# f")).toBe(
      "\\# a\n\\- b\n1\\. c\n\\> d\n\\+ e\na\n\\===\n\n- \\# f",
    );
    expect(github("#1 -5 1.5 a-b !c [d] (e) @f")).toBe("#1 -5 1.5 a-b !c [d] (e) @f");
  });

  test("ends a bare address where it ends", () => {
    expect(github("见https://a.example/x_y-z，后面 (https://b.example/c).")).toBe(
      "见<https://a.example/x_y-z>，后面 (<https://b.example/c>).",
    );
    expect(github('[a](https://b.example/c_(d) "e") [f](/g)')).toBe("[a](https://b.example/c_%28d%29) f (/g)");
  });

  test("has fences and backticks longer than those in the code", () => {
    expect(github("````\n```\n````")).toBe("````\n```\n````");
    expect(github("`` a`b `` `` `c` ``")).toBe("``a`b`` `` `c` ``");
  });

  test("repeats the head of a table in each part", () => {
    const rows = Array.from({ length: 40 }, (_, n) => `| ${n} | text |`);
    const parts = formatMessages(`| a | b |\n|---|--:|\n${rows.join("\n")}`, smaller(githubMarkup, 200));
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) expect(part).toMatch(/^\| a \| b \|\n\| --- \| --: \|\n(?:\| \d+ \| text \|\n?)+$/);
    expect(parts.join("\n").match(/^\| \d+ .*$/gm)).toEqual(rows);
  });

  test("begins no part indented, which would be code", () => {
    const items = Array.from({ length: 30 }, (_, n) => `     - item ${n}`).join("\n");
    const parts = formatMessages(`1. a\n   - b\n${items}\n2. c`, smaller(githubMarkup, 150));
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part).not.toMatch(/^\s/);
    expect(parts[1]).toMatch(/^- item \d+\n- item/);
  });
});

describe("Discord", () => {
  test("keeps three levels of headings, and lists, but draws tables", () => {
    expect(discord("### a\n\n#### b\n\n- c\n  1. d\n\n| e | f |\n|---|---|\n| g | h |\n\n---")).toBe(
      "### a\n\n**b**\n\n- c\n  1. d\n\n```\ne | f\n--+--\ng | h\n```\n\n———",
    );
  });

  test("breaks fences in code, and does not indent code", () => {
    expect(discord("- a\n  ````ts\n  ```\n    b\n  ````")).toBe(`- a\n  \`\`\`ts\n\`\`${ZWSP}\`\n  b\n  \`\`\``);
  });

  test("addresses neither everyone nor a role", () => {
    expect(discord("@everyone `@here` <@&1> <@2> ||a||")).toBe(
      `@${ZWSP}everyone \`@${ZWSP}here\` <${ZWSP}@&1> <@2> \\|\\|a\\|\\|`,
    );
  });

  test("counts code points", () => {
    expect(formatMessages("🦊".repeat(2_000), discordMarkup)).toHaveLength(1);
    expect(formatMessages("🦊".repeat(2_001), discordMarkup)).toHaveLength(2);
  });
});

test("Teams has bold lines for headings, and two spaces before a line break", () => {
  expect(teams("# a\n\nb\nc\n\n- d\n  - e\n\n<f> `<g>`")).toBe("**a**\n\nb  \nc\n\n- d\n  - e\n\n&lt;f> `<g>`");
});

describe("Feishu", () => {
  test("has small headings, lists indented by four columns, and no tags of the author's", () => {
    expect(feishu("# a\n\n## b\n\n- c\n  - d\n\n1. e\n   - f\n\n<font color=red>\\*g\\* `<at id=all>`")).toBe(
      `#### a\n\n##### b\n\n- c\n    - d\n\n1. e\n    - f\n\n&lt;font color=red>\\*g\\* \`<${ZWSP}at id=all>\``,
    );
  });

  test("has at most three tables in a card", () => {
    const table = "| a | b |\n|---|---|\n| 1 | 2 |";
    const parts = formatMessages(Array.from({ length: 7 }, () => table).join("\n\n"), feishuMarkup);
    expect(parts.map((part) => part.match(/---\|/g)?.length ?? part.match(/\| --- \|/g)?.length)).toEqual([3, 3, 1]);
  });

  test("is within 30 KB as the text of a card in a request", () => {
    const nasty = '"引号"\\\n'.repeat(20_000);
    const parts = formatMessages(nasty, feishuMarkup);
    for (const content of parts) {
      const card = { schema: "2.0", body: { elements: [{ tag: "markdown", content }] } };
      const body = { receive_id: `oc_${"0".repeat(32)}`, msg_type: "interactive", content: JSON.stringify(card) };
      expect(new TextEncoder().encode(JSON.stringify(body)).length).toBeLessThanOrEqual(30 * 1024);
    }
  });
});

test("DingTalk draws tables, has no strikethrough, and escapes tags in code too", () => {
  expect(dingtalk("# a\nb\nc ~~d~~ `<e>` <f>\n\n| g | h |\n|---|---|\n| i | j |")).toBe(
    "# a\n\nb  \nc d `&lt;e>` &lt;f>\n\n```\ng | h\n--+--\ni | j\n```",
  );
});

describe("WeCom", () => {
  test("shows bold, links, code, quotes and headings, and the rest as text", () => {
    expect(wecom("# a\n\n**b** *c* ~~d~~ `e` [f](https://a.example)\n\n- g\n\n> h")).toBe(
      "# a\n\n**b** c d `e` [f](https://a.example)\n\n• g\n\n> h",
    );
  });

  test("joins to a word what only looks like a sign, and addresses nobody", () => {
    expect(wecom("\\*\\*a\\*\\* \\[b](c) <@all> <@d>")).toBe(
      `${WJ}**${WJ}a${WJ}**${WJ} [b${WJ}]${WJ}(c) <${ZWSP}@all> <${ZWSP}@d>`,
    );
  });

  test("counts UTF-8 bytes", () => {
    expect(formatMessages("汉".repeat(682), wecomMarkup)).toHaveLength(1);
    expect(formatMessages("汉".repeat(683), wecomMarkup)).toHaveLength(2);
  });
});

test("a part without its markup is what it shows", () => {
  const source =
    "# a\n\n**b** _c_ `d_e` \\*f\\* g_h [i](https://a.example) 这是**重要。**内容 & <j> 1 < 2\n\n```\n*k*\n```\n\n> l";
  for (const markup of [githubMarkup, discordMarkup, teamsMarkup, feishuMarkup, dingtalkMarkup]) {
    expect(markup.plain(one(source, markup))).toBe(
      "a\n\nb c d_e *f* g_h i (https://a.example) 这是重要。内容 & <j> 1 < 2\n\n*k*\n\n> l",
    );
  }
  expect(wecomMarkup.plain(wecom(source))).toBe("a\n\nb c d_e *f* g_h i 这是重要。内容 & <j> 1 < 2\n\n*k*\n\n> l");
});

/** What a parser of plain CommonMark shows, with HTML as GitHub has it: the text, and the bold words in it. */
function shownByStandard(part: string): { text: string; bold: string } {
  const shown = { text: "", bold: "" };
  let depth = 0;
  const show = (tokens: readonly Token[]): void => {
    for (const { type, children, content } of tokens) {
      if (type === "strong_open") depth++;
      if (type === "strong_close") depth--;
      if (type === "softbreak" || type === "hardbreak") shown.text += "\n";
      if (children !== null) show(children);
      else if (["text", "code_inline", "fence", "code_block", "html_inline", "html_block"].includes(type)) {
        const text = type.startsWith("html") ? `[HTML ${content}]` : content;
        shown.text += text;
        if (depth > 0) shown.bold += text;
      }
    }
  };
  show(new StandardParser({ html: true }).parse(part, {}));
  return shown;
}

/** What we read in a text. */
function meant(markdown: string, markup: Markup): { text: string; bold: string } {
  const shown = { text: "", bold: "" };
  const heads = new Set<unknown>();
  const show = (runs: readonly StyledRun[]): void => {
    for (const { text, marks } of runs) {
      for (const mark of marks)
        if (mark.kind === "table" && !heads.has(mark.head)) show([...(heads.add(mark.head) && mark.head)]);
      if (marks.some(({ kind }) => kind === "sign")) continue;
      shown.text += text;
      if (marks.some(({ kind }) => kind === "bold")) shown.bold += text;
    }
  };
  show(readMarkdown(markdown, markup.shows));
  return shown;
}

/** Words alone: without white space, what nobody sees, and the boxes of tasks, which are bullets. */
function squeezed({ text, bold }: { text: string; bold: string }): string[] {
  return [text, bold].map((each) =>
    each
      .replace(/[\s\u200b\u2060\u00ad]|———|☐|☑|\[[ x]?\]/g, "")
      .replace(/%7E/g, "~")
      .replace(/%5F/g, "_"),
  );
}

test.each([
  ["GitHub", githubMarkup],
  ["Feishu", { ...feishuMarkup, shows: { ...feishuMarkup.shows, indent: 0 } }],
  ["Teams", teamsMarkup],
])("a parser of CommonMark reads in random parts for %s what the author meant", (_, markup) => {
  for (let seed = 1; seed <= 400; seed++) {
    const markdown = scribble(numbers(seed), PIECES, seed % 3 === 0 ? 120 : 14).toWellFormed();
    const parts = formatMessages(markdown, markup);
    if (parts.length !== 1) continue;
    expect(squeezed(shownByStandard(parts[0]!)), `seed ${seed}: ${JSON.stringify(markdown)}`).toEqual(
      squeezed(meant(markdown, markup)),
    );
  }
});
