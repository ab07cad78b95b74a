/** Texts that are easily spoiled, with words that have to come through in order. */
export const TEXTS: readonly { name: string; markdown: string; keeps: readonly string[] }[] = [
  {
    name: "nested lists",
    markdown:
      "1. one\n   - two\n     1. three\n\n        four\n   - [x] five\n2. six\n\n   ```sh\n   seven\n   ```\n3. 七",
    keeps: ["one", "two", "three", "four", "five", "six", "seven", "七"],
  },
  {
    name: "a table with pipes and Chinese",
    markdown: "| 名称 | `a|b` |\n|:--|--:|\n| 甲 \\| 乙 | **1** |\n| [丙](https://a.example/x) | |\n\n后面",
    keeps: ["名称", "甲", "乙", "1", "丙", "后面"],
  },
  {
    name: "code longer than a message",
    markdown: `前\n\n\`\`\`js\n${Array.from({ length: 3_000 }, (_, n) => `let v${n} = "<${n}>";`).join("\n")}\n\`\`\`\n\n后`,
    keeps: ["前", "v0", "v1000", "v2999", "后"],
  },
  {
    name: "a fence in a fence, and one that is not closed",
    markdown: "````md\n```js\nlet a;\n```\n````\n\nthen\n\n```\nb\n",
    keeps: ["js", "let a;", "then", "b"],
  },
  {
    name: "links",
    markdown:
      '[a (b)](https://a.example/x_(y)) [c](<https://a.example/d e> "f") <https://a.example/?g=1&h=2> [i](j.md) [k](javascript:l) 见https://a.example/m，后面 ![n](https://a.example/n.png)',
    keeps: ["a (b)", "c", "g=1", "i", "j.md", "k", "见", "https://a.example/m", "后面", "n"],
  },
  {
    name: "addresses longer than a message",
    markdown: `[one](https://a.example/?q=${"&x".repeat(900)}) [two](https://a.example/${"汉".repeat(1_200)}) three`,
    keeps: ["one", "two", "three"],
  },
  {
    name: "emoji and flags longer than a message",
    markdown: `${"👩‍👩‍👧‍👦".repeat(600)} ${"🇩🇪".repeat(1_500)} ${"👍🏽".repeat(1_500)} ${"e\u0301\u0302".repeat(1_500)} end`,
    keeps: ["👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "end"],
  },
  {
    name: "emphasis beside Chinese",
    markdown: "这是**重要的。**内容，**「引号」**后面~~删除~~和*斜体*，请看**`代码`**和**[链接](https://a.example)**。",
    keeps: ["这是", "重要的。", "内容，", "「引号」", "后面", "删除", "和", "斜体", "代码", "链接"],
  },
  {
    name: "HTML and references",
    markdown: '<script>alert("x")</script> &lt;b&gt; &copy; &amp;amp; <!-- c --> a <b>d</b>\n\n<div>\ne\n</div>',
    keeps: ['alert("x")', "©", "c", "a", "d", "e"],
  },
  {
    name: "mass mentions",
    markdown:
      'all: @everyone @here @all <!channel> <!here|here> <!subteam^S1> <@U1> <@&123> <at user_id="all">x</at> <at id=all></at> <@all> <users/all> `<!channel> @everyone <users/all> <at id=all>`\n\n```\n<@all> <!here> @here <users/all> <at id=all>\n```\nend',
    keeps: ["all:", "everyone", "here", "end"],
  },
  {
    name: "a very long word",
    markdown: `begin ${"x".repeat(45_000)} end`,
    keeps: ["begin", "xxxx", "end"],
  },
  {
    name: "what looks like markup",
    markdown:
      "2*3*4=24, a_b_c.py, \\*no\\*, \\# no, a \\`tick\\`, **open, _open, ~5, *args, **kwargs, /\\*\\*/, C:\\x\n1\\. no\n\\- no\n\\> no\n\\+ no",
    keeps: ["=24", "b", "c.py", "no", "no", "tick", "open", "open", "5", "args", "kwargs", "no", "no", "no", "no"],
  },
  {
    name: "quotes in quotes with everything",
    markdown: "> # 标题\n> > - a\n> >   ```\n> >   b\n> >   ```\n> c\n\nd",
    keeps: ["标题", "a", "b", "c", "d"],
  },
  {
    name: "invisible and control characters",
    markdown: "a\u202eb\u202c c\u200bd \u0007e\u0000 \u00adf \u2028g\r\nh",
    keeps: ["c", "f", "g", "h"],
  },
  {
    name: "a heading in two lines, a rule, and many blank lines",
    markdown: "a\nb\n===\n\n***\n\n\n\n\nc  \nd\\\ne",
    keeps: ["a", "b", "c", "d", "e"],
  },
];
