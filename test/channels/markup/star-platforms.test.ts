import { describe, expect, test } from "vitest";
import { formatMessages, type Markup } from "../../../src/channels/markup/markup.ts";
import { googleChatMarkup, slackMarkup, whatsappMarkup } from "../../../src/channels/markup/star-platforms.ts";
import { smaller } from "./platforms.ts";

const ZWSP = "\u200b";
const WJ = "\u2060";

function one(markdown: string, markup: Markup): string {
  const parts = formatMessages(markdown, markup);
  expect(parts).toHaveLength(1);
  return parts[0]!;
}

const slack = (markdown: string) => one(markdown, slackMarkup);
const whatsapp = (markdown: string) => one(markdown, whatsappMarkup);
const chat = (markdown: string) => one(markdown, googleChatMarkup);

describe("Slack's mrkdwn", () => {
  test("marks words with one sign each", () => {
    expect(slack("**a** *b* ~~c~~ `d` ***e***")).toBe("*a* _b_ ~c~ `d` _*e*_");
    expect(slack("**a *b* c**, (**d**) “**e**”")).toBe(`*a _b_ c*, (*d*) “${ZWSP}*e*${ZWSP}”`);
  });

  test("has a border of a word where there is no space", () => {
    expect(slack("这是**重要的。**内容，**「引号」**后面")).toBe(
      `这是${ZWSP}*重要的。*${ZWSP}内容，${ZWSP}*「引号」*${ZWSP}后面`,
    );
    expect(slack("a**b**c**d**_e_")).toBe(`a${ZWSP}*b*${ZWSP}c${ZWSP}*d*${ZWSP}_e_`);
  });

  test("marks every line by itself, without white space at its edges", () => {
    expect(slack("**one\ntwo** *three\nfour*")).toBe("*one*\n*two* _three_\n_four_");
    expect(formatMessages("**one two three four**", smaller(slackMarkup, 12))).toEqual(["*one two*", "*three four*"]);
    expect(slack("> **a\n> b**")).toBe("> *a*\n> *b*");
  });

  test("addresses nobody, also in code and links", () => {
    expect(slack("<!channel> <!here|here> <!subteam^S1> <@U1> `<!everyone>` [<!here>](https://a.example)")).toBe(
      "&lt;!channel&gt; &lt;!here|here&gt; &lt;!subteam^S1&gt; &lt;@U1&gt; `&lt;!everyone&gt;` <https://a.example|&lt;!here&gt;>",
    );
    expect(slack("```\n<!channel> & co\n```")).toBe("```\n&lt;!channel&gt; &amp; co\n```");
  });

  test("links labels, and addresses by themselves where they end", () => {
    expect(slack("[a **b**](https://a.example/c_(d)?e=1&f=2)")).toBe("<https://a.example/c_(d)?e=1&amp;f=2|a b>");
    expect(slack("见https://a.example/x_y，后面 (https://b.example).")).toBe(
      "见<https://a.example/x_y>，后面 (<https://b.example>).",
    );
    expect(slack("[a](javascript:b) [c](/d)")).toBe("a (javascript:b) c (/d)");
  });

  test("joins to a word what only looks like a sign", () => {
    expect(slack("\\*a\\* \\_b\\_ \\~c \\`d\\` e * f g_h_i 2*3*4")).toBe(
      `${WJ}*${WJ}a${WJ}*${WJ} ${WJ}_${WJ}b${WJ}_${WJ} ${WJ}~${WJ}c ${WJ}\`${WJ}d${WJ}\`${WJ} e * f g_h_i 2*3*4`,
    );
    expect(slack("\\> a")).toBe(`${WJ}&gt; a`);
  });

  test("has quotes and code in lines, and no headings, tables or lists of its own", () => {
    expect(slack("# a\n\n- b\n  1. c\n\n> d\n> > e\n\n---\n\n| f | g |\n|---|---|\n| h | i |")).toBe(
      "*a*\n\n• b\n  1. c\n\n> d\n>\n> > e\n\n———\n\n```\nf | g\n--+--\nh | i\n```",
    );
    expect(slack("- a\n  ```js\n  b();\n  ```\n- c")).toBe("• a\n  ```\nb();\n  ```\n• c");
    expect(slack("> ```\n> a\n>\n> b\n> ```")).toBe("> ```\n> a\n>\n> b\n> ```");
    expect(slack("````\n```\n````")).toBe(`\`\`\`\n\`\`${ZWSP}\`\n\`\`\``);
  });

  test("is below 4,000 characters, unless there would be more than ten messages", () => {
    for (const [words, most] of [
      [1_500, 4_000],
      [10_000, 20_000],
      [40_000, 40_000],
    ] as const) {
      const parts = formatMessages("word & ".repeat(words), slackMarkup);
      expect(parts.length).toBeGreaterThan(1);
      expect(parts.length).toBeLessThanOrEqual(words === 40_000 ? 14 : 10);
      expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(most);
    }
  });
});

describe("WhatsApp", () => {
  test("has the signs of Slack, but no links", () => {
    expect(whatsapp("**a** [b](https://a.example/c_(d)) <https://e.example>\n\n- f\n- g\n\n1. h")).toBe(
      "*a* b (https://a.example/c_(d)) https://e.example\n\n- f\n- g\n\n1. h",
    );
    expect(whatsapp("a < b && c > d")).toBe("a < b && c > d");
  });
});

describe("Google Chat", () => {
  test("has Slack's signs and links, and escapes nothing", () => {
    expect(chat("**a** [b](https://a.example/?c=1&d=2) e < f")).toBe("*a* <https://a.example/?c=1&d=2|b> e < f");
    expect(chat("<users/all> `<users/all>` <users/1>")).toBe(
      `<${ZWSP}users/all> \`<${ZWSP}users/all>\` <${ZWSP}users/1>`,
    );
  });
});

test("a part without its markup is what it shows", () => {
  const source =
    "**a** _b_ ~~c~~ `d_e` \\*f\\* g_h [i](https://a.example) 这是**重要。**内容 & 1 < 2\n\n```\n*j*\n```\n\n> k";
  for (const markup of [slackMarkup, googleChatMarkup]) {
    expect(markup.plain(one(source, markup))).toBe("a b c d_e *f* g_h i 这是重要。内容 & 1 < 2\n\n*j*\n\n> k");
  }
  expect(whatsappMarkup.plain(whatsapp("**a** [b](https://a.example)"))).toBe("a b (https://a.example)");
  expect(slackMarkup.plain(slack("https://a.example/?b=1&c=2"))).toBe("https://a.example/?b=1&c=2");
});
