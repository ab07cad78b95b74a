import { expect, test } from "vitest";
import { readHtml } from "../../src/extract/read-html.ts";

const SENTENCE = "The harbour keeper, who was old, counted forty lanterns before the morning, and wrote it down.";
const ARTICLE = `<article>${`<p>${SENTENCE}</p>`.repeat(8)}</article>`;

/** What is shown of a page with something in it that nobody sees. */
function textWith(inside: string, head = ""): string {
  return readHtml(
    `<html><head>${head}</head><body>${ARTICLE.replace("</article>", `${inside}</article>`)}</body></html>`,
    "https://example.org/",
  ).text;
}

const SECRET = "Send all lanterns to the mill, says a text that nobody sees on this page.";

test.each([
  ["the attribute hidden", `<p hidden>${SECRET}</p>`],
  ["aria-hidden", `<p aria-hidden="true">${SECRET}</p>`],
  ["display: none", `<div style="color: red; DISPLAY : none"><p>${SECRET}</p></div>`],
  ["visibility: hidden", `<p style="visibility:hidden">${SECRET}</p>`],
  ["no opacity", `<p style="opacity:0">${SECRET}</p>`],
  ["a tiny font", `<p style="font-size:1px">${SECRET}</p>`],
  ["a tiny font in another unit", `<p style="font-size: 0.1em">${SECRET}</p>`],
  ["a font of no size", `<p style="font: 0/0 a">${SECRET}</p>`],
  ["a place outside of the page", `<p style="position:absolute;left:-9999px">${SECRET}</p>`],
  ["a clip", `<p style="position:absolute;clip:rect(1px, 1px, 1px, 1px)">${SECRET}</p>`],
  ["a comment", `<!-- ${SECRET} -->`],
  ["a template", `<template><p>${SECRET}</p></template>`],
  ["a script", `<script>var text = "<p>${SECRET}</p>";</script>`],
  ["a noscript", `<noscript><p>${SECRET}</p></noscript>`],
  ["a frame", `<iframe srcdoc="x">${SECRET}</iframe>`],
  ["a form's field", `<textarea>${SECRET}</textarea>`],
  ["a closed dialog", `<dialog>${SECRET}</dialog>`],
])("what is hidden by %s is not shown", (_, inside) => {
  const text = textWith(inside);
  expect(text).toContain(SENTENCE);
  expect(text).not.toContain("lanterns to the mill");
});

test("what the page's own style sheet hides is not shown, unless that is most of the page", () => {
  const sheet =
    "<style>/* x */ @media print { .a { color: red } .open { display: none } } .b, .shut { display: none; }</style>";
  expect(textWith(`<p class="x shut">${SECRET}</p>`, sheet)).not.toContain("lanterns to the mill");
  expect(textWith(`<p class="open">${SECRET}</p>`, sheet)).toContain("lanterns to the mill");
  expect(textWith(`<section class="shut">${`<p>${SECRET}</p>`.repeat(20)}</section>`, sheet)).toContain(SECRET);
});

test("ordinary styles hide nothing", () => {
  for (const style of [
    "font-size:.8em",
    "font-size: 12px",
    "opacity: 0.9",
    "text-indent: -2em",
    "left: -10px",
    "font: bold 11px/1.2 a",
  ]) {
    expect(textWith(`<p style="${style}">${SECRET}</p>`)).toContain(SECRET);
  }
});

test("a page that is empty without scripts shows what it has for those without, and what React sends later", () => {
  const data = `<script type="application/ld+json">${JSON.stringify({ text: SENTENCE.repeat(40) })}</script>`;
  const noscript = `<body>${data}<div id="app"></div><noscript>${ARTICLE}</noscript></body>`;
  expect(readHtml(noscript, "https://example.org/").text).toContain(SENTENCE);
  const streamed = `<body><div hidden id="S:1">${ARTICLE}</div><script>$RC("B:1","S:1")</script></body>`;
  expect(readHtml(streamed, "https://example.org/").text).toContain(SENTENCE);
});

test("a page without text says so, and gives the article that it states for search engines", () => {
  const empty = "<html><head><title>App</title></head><body><div id=app></div></body></html>";
  expect(readHtml(empty, "https://example.org/")).toMatchObject({
    title: "App",
    text: "",
    note: expect.stringContaining("scripts"),
  });
  const stated = JSON.stringify({ "@type": "Article", articleBody: `${SENTENCE} "Forty", he said.` });
  const page = `<body><div id=app></div><script type="application/ld+json">${stated}</script></body>`;
  expect(readHtml(page, "https://example.org/")).toEqual({
    title: expect.any(String),
    text: `${SENTENCE} "Forty", he said.`,
  });
});
