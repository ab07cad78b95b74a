import { expect, test } from "vitest";
import { type Content, readContent } from "../../../src/channels/webchat/content.ts";

/** The words without the elements. */
function wordsOf(content: readonly Content[]): string {
  return content.map((one) => (typeof one === "string" ? one : wordsOf(one.of))).join("");
}

function linksOf(content: readonly Content[]): string[] {
  return content.flatMap((one) =>
    typeof one === "string" ? [] : [...(one.href ? [one.href] : []), ...linksOf(one.of)],
  );
}

test("styles are elements around words", () => {
  expect(readContent("Hello **bold _both_** `code` ~~gone~~")).toEqual([
    "Hello ",
    { is: "b", of: ["bold ", { is: "i", of: ["both"] }] },
    " ",
    { is: "code", of: ["code"] },
    " ",
    { is: "s", of: ["gone"] },
  ]);
});

test("the items of a list are inside of one another, and code and quotes are blocks", () => {
  const content = readContent("- a\n  - b\n\n> said\n\n```js\nlet c\n```");
  expect(content).toEqual([
    "• ",
    { is: "item", of: ["a", "\n", "• ", { is: "item", of: ["b"] }] },
    "\n\n",
    { is: "quote", of: ["said"] },
    "\n\n",
    { is: "pre", of: ["let c"] },
  ]);
});

test("addresses of the web are links, written or bare, and no others", () => {
  const text = "[site](https://a.example/x) https://b.example/y. <https://c.example> [m](mailto:d@e.example)";
  expect(linksOf(readContent(text))).toEqual([
    "https://a.example/x",
    "https://b.example/y",
    "https://c.example",
    "mailto:d@e.example",
  ]);
  const bad = "[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) ![d](file:///x) `https://f.example`";
  expect(linksOf(readContent(bad))).toEqual([]);
});

test("what looks like HTML is words", () => {
  const text = '<img src=x onerror="alert(1)"> <b>1 < 2</b>';
  expect(wordsOf(readContent(text))).toBe(text);
});
