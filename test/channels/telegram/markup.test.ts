import { describe, expect, test } from "vitest";
import { readMarkdown } from "../../../src/channels/markdown.ts";
import { formatMessages } from "../../../src/channels/markup/markup.ts";
import { writeRuns } from "../../../src/channels/markup/write.ts";
import { MAX_PART_UNITS, telegramMarkup } from "../../../src/channels/telegram/markup.ts";
import { parseTelegramHtml } from "../../fakes/telegram-html.ts";
import { numbers, PIECES, scribble } from "../markup/random-markdown.ts";

function formatHtml(markdown: string): string[] {
  return formatMessages(markdown, telegramMarkup);
}

function one(markdown: string): string {
  const parts = formatHtml(markdown);
  expect(parts).toHaveLength(1);
  return parts[0]!;
}

function parse(part: string) {
  const parsed = parseTelegramHtml(part);
  if (!parsed.ok) throw new Error(`${parsed.problem} in ${part}`);
  return parsed;
}

/** What all parts show, one after the other. */
function shown(parts: string[]): string {
  return parts.map((part) => parse(part).text).join("");
}

describe("Telegram markup of words", () => {
  test("bold, italic, strike and code may nest", () => {
    expect(one("**a** *b* _c_ ~~d~~ `e < f`")).toBe("<b>a</b> <i>b</i> <i>c</i> <s>d</s> <code>e &lt; f</code>");
    expect(one("**a *b* `c`**")).toBe("<b>a <i>b</i> <code>c</code></b>");
    expect(one("**中文**和`代码`")).toBe("<b>中文</b>和<code>代码</code>");
  });

  test("line breaks are kept", () => {
    expect(one("one\ntwo  \nthree\n\n\n\nfour")).toBe("one\ntwo\nthree\n\nfour");
  });

  test("HTML is shown as text, and character references are decoded", () => {
    expect(one("<b>x</b> &amp; &lt;i&gt; &#8212; &unknown;")).toBe(
      "&lt;b&gt;x&lt;/b&gt; &amp; &lt;i&gt; — &amp;unknown;",
    );
    expect(one("<div>\nhi\n</div>")).toBe("&lt;div&gt;\nhi\n&lt;/div&gt;");
    expect(one("`&amp;`")).toBe("<code>&amp;amp;</code>");
  });

  test("lone surrogates are replaced, since Telegram refuses them", () => {
    expect(JSON.stringify(one("a\ud800b"))).toBe('"a\ufffdb"');
  });
});

describe("Telegram markup of links", () => {
  test("web addresses become links", () => {
    expect(one('[docs](https://a.example/?x=1&y="2")')).toBe('<a href="https://a.example/?x=1&amp;y=%222%22">docs</a>');
    expect(one("[**bold** `code`](https://a.example)")).toBe('<a href="https://a.example"><b>bold</b> code</a>');
  });

  test("other addresses, and those that Telegram would drop, are written out", () => {
    expect(one("[x](javascript:alert(1))")).toBe("x (javascript:alert(1))");
    expect(one("[x](tg://proxy?server=evil)")).toBe("x (tg://proxy?server=evil)");
    expect(one("[here](/docs/a.md) [there](http://localhost:8787/)")).toBe(
      "here (/docs/a.md) there (http://localhost:8787/)",
    );
    expect(one("[Ada](mailto:ada@a.example)")).toBe("Ada (mailto:ada@a.example)");
  });

  test("addresses that are their own label are left for Telegram to link", () => {
    expect(one("https://a.example/x_y_z and <ada@a.example>")).toBe("https://a.example/x_y_z and ada@a.example");
    expect(one("[https://a.example](https://a.example)")).toBe("https://a.example");
  });

  test("an image becomes a link to it", () => {
    expect(one("![a fox](https://a.example/fox.png)")).toBe('<a href="https://a.example/fox.png">a fox</a>');
    expect(one("![](https://a.example/fox.png)")).toBe("https://a.example/fox.png");
    expect(one("[![build](https://a.example/b.svg)](https://ci.example)")).toBe(
      '<a href="https://ci.example">build</a>',
    );
  });
});

describe("Telegram markup of blocks", () => {
  test("headings are bold lines", () => {
    expect(one("# One *two*\n\ntext\n\n## **Three**")).toBe("<b>One <i>two</i></b>\n\ntext\n\n<b>Three</b>");
  });

  test("lists have bullets, numbers, check boxes and indentation", () => {
    expect(one("- a\n- b\n  1. c\n  2. d\n     - e\n- f")).toBe("• a\n• b\n  1. c\n  2. d\n     • e\n• f");
    expect(one("7. a\n8. b")).toBe("7. a\n8. b");
    expect(one("- [x] done\n- [ ] to do")).toBe("☑ done\n☐ to do");
    expect(one("- a\n\n  more\n\n- b")).toBe("• a\n\n  more\n\n• b");
    expect(one("- a:\n  ```sh\n  ls\n  ```")).toBe('• a:\n  <pre><code class="language-sh">ls</code></pre>');
  });

  test("code keeps its language, spaces and special characters", () => {
    expect(one("```ts title=x\nif (a < b) {\n  c();\n}\n```")).toBe(
      '<pre><code class="language-ts">if (a &lt; b) {\n  c();\n}</code></pre>',
    );
    expect(one("```\nplain\n```")).toBe("<pre>plain</pre>");
    expect(one('```"><b>\nx\n```')).toBe("<pre>x</pre>");
    expect(one("```py\nunclosed")).toBe('<pre><code class="language-py">unclosed</code></pre>');
  });

  test("quotes are quotes, and a nested one keeps its sign", () => {
    expect(one("> a\n> **b**\n\nc")).toBe("<blockquote>a\n<b>b</b></blockquote>\n\nc");
    expect(one("> a\n>\n> > b\n> > c")).toBe("<blockquote>a\n\n&gt; b\n&gt; c</blockquote>");
  });

  test("tables are drawn, with Chinese as two columns wide", () => {
    expect(one("| Name | 数量 |\n|---|--:|\n| 苹果 | 1 |\n| `pear` | [20](https://a.example) |")).toBe(
      `<pre>${[
        "Name |                   数量",
        "-----+-----------------------",
        "苹果 |                      1",
        "pear | 20 (https://a.example)",
      ].join("\n")}</pre>`,
    );
  });

  test("a horizontal rule is a line of dashes", () => {
    expect(one("a\n\n---\n\nb")).toBe("a\n\n———\n\nb");
  });
});

describe("a Telegram reply without visible text", () => {
  test("is sent as written if it is only markup", () => {
    expect(one("[a]: https://a.example")).toBe("[a]: https://a.example");
    expect(one("```\n```")).toBe("```\n```");
  });

  test("is not sent if it is blank", () => {
    expect(formatHtml("\n \n")).toEqual([]);
    expect(formatHtml(`a${"\n".repeat(3)}${"\u00a0".repeat(10_000)}`).map((part) => part.trim())).not.toContain("");
  });
});

describe("a long Telegram reply", () => {
  test("closes and reopens code with its language at line ends", () => {
    const lines = Array.from({ length: 400 }, (_, n) => `  const value${n} = "<${n}>";`);
    const parts = formatHtml(`Look:\n\n\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n\nDone.`);
    expect(parts.length).toBeGreaterThan(2);
    expect(shown(parts)).toBe(`Look:\n\n${lines.join("\n")}\n\nDone.`);
    for (const part of parts.slice(1)) expect(part).toMatch(/^<pre><code class="language-ts"> {2}const/);
    for (const part of parts.slice(0, -1)) expect(part).toMatch(/;\n<\/code><\/pre>$/);
  });

  test("in Chinese is cut after sentences", () => {
    const reply = "这是一个很长的故事，讲的是一只狐狸和一只狗。它们住在森林里！".repeat(400);
    const parts = formatHtml(reply);
    expect(shown(parts)).toBe(reply);
    for (const part of parts) {
      expect(part).toMatch(/[。！]$/);
      expect(part.length).toBeLessThanOrEqual(MAX_PART_UNITS);
    }
    expect(parts.length).toBe(Math.ceil(reply.length / MAX_PART_UNITS));
  });

  test("keeps bold, quotes and links on both sides of a cut", () => {
    const words = "word ".repeat(1500).trim();
    for (const [markdown, tag] of [
      [`**${words}**`, "b"],
      [`> ${words}`, "blockquote"],
      [`[${words}](https://a.example)`, "a"],
    ] as const) {
      const parts = formatHtml(markdown);
      expect(shown(parts)).toBe(words);
      for (const part of parts) {
        const { text, entities } = parse(part);
        expect(entities).toMatchObject([{ tag, offset: 0, length: text.length }]);
      }
    }
  });

  test("is not cut inside an escaped character, even if it consists of nothing else", () => {
    const parts = formatHtml("&<>".repeat(3000).replaceAll("<", "\\<"));
    expect(shown(parts)).toBe("&<>".repeat(3000));
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(MAX_PART_UNITS);
  });

  test("has at most as many entities in a part as Telegram keeps", () => {
    const parts = formatHtml(Array.from({ length: 350 }, (_, n) => `**b${n}** [l](https://a.example/${n})`).join(" "));
    const counts = parts.map((part) => parse(part).entities.length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(100);
    expect(counts.reduce((sum, count) => sum + count)).toBe(700);
  });

  test("is split in bounded time for hostile inputs", () => {
    const nasty = [
      ">".repeat(20_000),
      "[".repeat(50_000),
      "- ".repeat(20_000),
      "**a ".repeat(5_000),
      "x".repeat(300_000),
    ];
    for (const reply of nasty) {
      const startedAt = performance.now();
      expect(shown(formatHtml(reply)).length).toBeGreaterThan(0);
      expect(performance.now() - startedAt, reply.slice(0, 10)).toBeLessThan(10_000);
    }
  });
});

describe("random Markdown as Telegram parts", () => {
  test("is valid Telegram HTML within its limits, cut between graphemes", () => {
    const split = new Intl.Segmenter(undefined, { granularity: "grapheme" });
    for (let seed = 1; seed <= 60; seed++) {
      const markdown = scribble(numbers(seed), PIECES, 2000);
      const parts = formatHtml(markdown);
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(MAX_PART_UNITS);
        expect(part.isWellFormed()).toBe(true);
        expect(parse(part).entities.length).toBeLessThanOrEqual(100);
      }
      const whole = shown(parts);
      const borders = new Set(Array.from(split.segment(whole), (character) => character.index));
      let offset = 0;
      for (const part of parts) {
        expect(borders.has(offset), `seed ${seed}`).toBe(true);
        offset += parse(part).text.length;
      }
    }
  });

  test("has the same text in parts as unsplit", () => {
    for (let seed = 100; seed < 130; seed++) {
      const markdown = scribble(numbers(seed), PIECES, 2000);
      const whole = writeRuns(readMarkdown(markdown, telegramMarkup.shows), telegramMarkup.syntax);
      // A part that begins inside an item or a nested quote is indented like it.
      const words = (text: string) => text.replace(/[\s>]/g, "");
      expect(words(shown(formatHtml(markdown))), `seed ${seed}`).toBe(words(shown([whole])));
    }
  });

  test("keeps every word in order, whatever the markup", () => {
    // No three tildes or backticks in a row: those open code, and what follows them there names its language.
    const marks = [
      "**",
      "*",
      "_",
      "~~s~~",
      "`c`",
      "\n\n",
      "\n- ",
      "\n1. ",
      "\n> ",
      "\n# ",
      "<div>",
      "</b>",
      "&",
      "<",
      "\\",
      "🦊",
      "  ",
    ];
    for (let seed = 200; seed < 230; seed++) {
      const next = numbers(seed);
      const words = Array.from({ length: 600 }, (_, n) => `w${n}`);
      const markdown = words.map((word) => `${scribble(next, marks, 4)} ${word}`).join(" ");
      expect(shown(formatHtml(markdown)).match(/w\d+/g), `seed ${seed}`).toEqual(words);
    }
  });
});

test("plain text of a part has no tags of ours and everything else", () => {
  const html = one('**a** [b](https://a.example/?x=1&y=2) `1 < 2 && "q"`\n\n```ts\nx<y>()\n```\n\n> q');
  expect(telegramMarkup.plain(html)).toBe(parse(html).text);
  expect(telegramMarkup.plain("1 < 2 <custom> &amp;lt;")).toBe("1 < 2 <custom> &lt;");
});
