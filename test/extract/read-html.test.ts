import { describe, expect, test } from "vitest";
import { readHtml } from "../../src/extract/read-html.ts";

const ADDRESS = "https://example.org/page";
const SENTENCE = "The harbour keeper, who was old, counted forty lanterns before the morning, and wrote it down.";

const FRAME = {
  top: `<header class="site-header"><a href="/">Lantern Times</a></header><nav class="menu"><ul>${[
    "World",
    "Sport",
    "Weather today",
  ]
    .map((name) => `<li><a href="/${name}">${name}</a></li>`)
    .join("")}</ul></nav>`,
  bottom: `<aside class="sidebar"><h3>Most read</h3><ul><li><a href="/1">Ferry sinks at the pier</a></li><li><a href="/2">Mill burns down</a></li></ul></aside>
    <div class="cookie-banner"><p>We use cookies to make this site better.</p><button>Accept all</button></div>
    <footer><p>Imprint and privacy of the Lantern Times</p></footer>`,
};
const AROUND = ["Weather today", "Most read", "Mill burns down", "We use cookies", "Accept all", "Imprint and privacy"];

function page(title: string, content: string, { top, bottom } = FRAME): string {
  return `<!doctype html><html><head><title>${title} | Lantern Times</title></head><body>${top}${content}${bottom}</body></html>`;
}

/** What is shown, without what is around. */
function shown(title: string, content: string): string {
  const { text } = readHtml(page(title, content), ADDRESS);
  for (const around of AROUND) expect(text).not.toContain(around);
  return text;
}

test("of an article its text, headings, links and captions are shown, and nothing around it", () => {
  const text = shown(
    "Forty lanterns",
    `<main><article><h1>Forty lanterns</h1><div class="byline">By A. Keeper</div><p>${SENTENCE} <a href="/book">The book</a> is old.</p>
    <figure><img src="/l.jpg" alt="Lanterns"><figcaption>Lanterns at the pier.</figcaption></figure><h2>The second night</h2>
    ${`<p>${SENTENCE}</p>`.repeat(6)}<div class="share-bar"><a href="/s">Share this</a></div>
    <div class="related"><h3>Related stories</h3><a href="/r">Another story</a></div></article></main>`,
  );
  for (const part of [
    SENTENCE,
    "[The book](https://example.org/book)",
    "## The second night",
    "Lanterns at the pier.",
  ]) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain("Another story");
});

test("a short article is shown whole", () => {
  const text = shown(
    "A note",
    `<main><h1>A note</h1><p>The ferry does not run today.</p><p>It runs again on Monday at six.</p></main>`,
  );
  expect(text).toContain("The ferry does not run today.");
  expect(text).toContain("It runs again on Monday at six.");
});

test("Chinese news is shown whole", () => {
  const sentence = "港口管理员在早晨数了四十盏灯笼，然后把数目写进了门边的本子里。";
  const text = shown(
    "四十盏灯笼",
    `<div class="article-content"><h1>四十盏灯笼</h1>${`<p>${sentence}</p>`.repeat(12)}</div>`,
  );
  expect(text.split(sentence)).toHaveLength(13);
});

test("of a thread every post is shown", () => {
  const post = (n: number) =>
    `<div class="post" id="p${n}"><div class="user">user${n}</div><div class="post-body"><p>Answer ${n}: ${SENTENCE}</p></div><div class="post-actions"><a href="/like">Like</a></div></div>`;
  const text = shown(
    "How many lanterns?",
    `<div class="thread"><h1>How many lanterns?</h1>${[1, 2, 3, 4, 5].map(post).join("")}</div>`,
  );
  for (const n of [1, 2, 3, 4, 5]) expect(text).toContain(`Answer ${n}: ${SENTENCE}`);
});

test("of a product the name, the price, the description and the table are shown", () => {
  const text = shown(
    "Brass lantern",
    `<main><h1>Brass lantern</h1><div class="price">€ 49.00</div><div class="description"><p>A lantern of brass, for the harbour and the garden. It burns eight hours.</p></div>
    <table><tr><th>Height</th><td>31 cm</td></tr><tr><th>Weight</th><td>900 g</td></tr></table><ul class="features"><li>Wind proof</li><li>Made by hand</li></ul></main>`,
  );
  for (const part of ["€ 49.00", "It burns eight hours.", "| Height | 31 cm |", "- Made by hand"])
    expect(text).toContain(part);
});

test("of a listing every entry is shown with its link", () => {
  const entry = (n: number) =>
    `<li class="card"><a href="/item/${n}"><h3>Lantern number ${n}</h3></a><p>From the year ${1900 + n}.</p></li>`;
  const text = shown(
    "All lanterns",
    `<main><h1>All lanterns</h1><ul>${Array.from({ length: 12 }, (_, n) => entry(n)).join("")}</ul></main>`,
  );
  for (let n = 0; n < 12; n++) {
    expect(text).toContain(`[Lantern number ${n}](https://example.org/item/${n})`);
    expect(text).toContain(`From the year ${1900 + n}.`);
  }
});

test("of documentation the code is shown as it is", () => {
  const code = "lantern.light({\n  wick: 2,\n});";
  const text = shown(
    "Lighting",
    `<main><h1>Lighting</h1><p>${SENTENCE}</p><h2>Usage</h2><p>Call it once.</p><pre><code class="language-js">${code}</code></pre><h2>Options</h2>
    <table><thead><tr><th>Name</th><th>Meaning</th></tr></thead><tbody><tr><td><code>wick</code></td><td>How many wicks</td></tr></tbody></table><p>${SENTENCE}</p></main>`,
  );
  expect(text).toContain(`\`\`\`js\n${code}\n\`\`\``);
  expect(text).toContain("| `wick` | How many wicks |");
});

test("a page that is a table of figures is shown as one", () => {
  const rows = Array.from(
    { length: 15 },
    (_, n) => `<tr><td>${n + 1} May</td><td>${40 + n}</td><td>calm</td></tr>`,
  ).join("");
  const text = shown(
    "Counts in May",
    `<h1>Counts in May</h1><table><tr><th>Day</th><th>Lanterns</th><th>Sea</th></tr>${rows}</table>`,
  );
  expect(text).toContain("| 15 May | 54 | calm |");
});

describe("a page that would take too long", () => {
  test.each([
    ["is nested deeply", "<div>".repeat(3_500)],
    ["is a list in a list in a list", "<ul><li>".repeat(2_500)],
    ["never closes anything", `<b>${SENTENCE}`.repeat(3_500)],
  ])("because it %s keeps its text", (_, start) => {
    expect(readHtml(`<body>${start}<p>${SENTENCE}</p>`, ADDRESS).text).toContain(SENTENCE);
  });

  test.each([
    ["opens a million elements", "<div>".repeat(1_000_000)],
    ["closes what was never opened", "<div>".repeat(5_000) + "</i>".repeat(1_000_000)],
  ])("because it %s is cut, which is told", (_, content) => {
    const { text, note } = readHtml(`<body><p>${SENTENCE}</p>${content}<p>The end.</p>`, ADDRESS);
    expect(text).toContain(SENTENCE);
    expect(text).not.toContain("The end.");
    expect(note).toContain("nests its elements too deeply");
  });

  test.each([
    ["has too many elements", `<p>${SENTENCE}</p><p>b</p>`.repeat(20_000)],
    ["has too much text", `<p>${SENTENCE.repeat(200)}</p>`.repeat(300)],
  ])("because it %s is shown as plain text, which is told", (_, content) => {
    const { title, text, note } = readHtml(page("Large", `<h1>Large</h1><ul><li>entry</ul>${content}`), ADDRESS);
    expect(note).toContain("too large");
    expect(title).toBe("Large | Lantern Times");
    expect(text).toContain("# Large\n- entry");
    expect(text).not.toContain("Imprint and privacy");
    expect(text.length).toBeLessThan(2_100_000);
  });

  test.each([
    ["a style with a long number", `<p style="font:${"1".repeat(500_000)}">`],
    ["rules without end", `<style>${"a{}".repeat(200_000)}</style>`],
    ["comments without end in a style sheet", `<style>${"/*".repeat(250_000)}</style>`],
    ["a long title", `<title>${"w ".repeat(250_000)}</title><h1>${"v ".repeat(250_000)}</h1>`],
    ["code with a long blank", `<pre>a${" ".repeat(500_000)}b</pre>`],
    ["code of backticks", `<pre>${"`\n".repeat(250_000)}</pre>`],
    ["a long base for short links", `<base href="/${"b".repeat(1_900)}/">${"<a href=x>y</a>".repeat(20_000)}`],
    ["a long list of addresses for an image", `<img src="a.png" alt="b" data-srcset="${"x.jpg 1".repeat(70_000)}">`],
  ])("with %s is read like any other", (_, content) => {
    expect(readHtml(`<body>${content}<p>${SENTENCE.repeat(5)}</p>`, ADDRESS).text.length).toBeLessThan(3_100_000);
  });
});
