import { expect, test } from "vitest";
import { TreeBuilder } from "../../src/extract/build-tree.ts";
import { toMarkdown } from "../../src/extract/markdown.ts";
import { readVisible } from "../../src/extract/visible-html.ts";

function markdown(html: string): string {
  const { document } = readVisible(html, () => new TreeBuilder("https://example.org/a/b")).visitor;
  return toMarkdown(document!.body, document!.baseURI);
}

test("headings, paragraphs, emphasis and line breaks", () => {
  expect(
    markdown("<h2>A <em>b</em></h2><p>One  two\n three.<br>Four <b> five </b>six<i></i>.</p><div>Seven</div>eight<hr>"),
  ).toBe("## A *b*\n\nOne two three.\nFour **five** six.\n\nSeven\neight\n\n---");
});

test("links are whole, and a link without an address, with a script or around blocks is text", () => {
  expect(
    markdown('<p><a href="../c?d=1#e">see</a> <a href="#f">below</a> <a href="javascript:x()">run</a> <a>name</a></p>'),
  ).toBe("[see](https://example.org/c?d=1#e) below run name");
  expect(markdown('<base href="https://other.example/"><a href="x(1)"><h3>Title</h3><p>Text</p></a>')).toBe(
    "### [Title](https://other.example/x%281%29)\n\nText",
  );
  expect(markdown('<a href="/one">one <div><a href="/two">two</a> three</div>')).toBe(
    "one\n[two](https://example.org/two) three",
  );
});

test("lists, nested and numbered, and quotations", () => {
  expect(
    markdown("<ol start=3><li>a<ul><li>b<li><p>c</p></ul><li>d</ol><blockquote><p>e</p><p>f</p></blockquote>"),
  ).toBe("3. a\n  - b\n  - c\n4. d\n\n> e\n\n> f");
});

test("code keeps its lines, names its language, and its fence is longer than those in it", () => {
  expect(markdown('<pre><code class="language-ts">if (a &lt; b) {\n  c();\n}\n</code></pre>')).toBe(
    "```ts\nif (a < b) {\n  c();\n}\n```",
  );
  expect(markdown("<pre>a<br>b<div>c</div><div>d</div></pre>")).toBe("```\na\nb\nc\nd\n```");
  expect(markdown("<pre>```\nx\n```</pre>")).toBe("````\n```\nx\n```\n````");
  expect(markdown("<p>Call <code>f()</code>.</p>")).toBe("Call `f()`.");
});

test("a table of data has rows, and one that lays out a page is text", () => {
  expect(markdown("<table><caption>Lamps</caption><tr><th>Day<th>Count<tr><td>1<td>4|0<br>more</table>")).toBe(
    "Lamps\n\n| Day | Count |\n| --- | --- |\n| 1 | 4\\|0 more |",
  );
  expect(markdown('<table role="presentation"><tr><td><p>a</p><td><p>b</p></table>')).toBe("a\n\nb");
  expect(markdown("<table><tr><td>alone</table>")).toBe("alone");
});

test("images have their text, and those without are left out", () => {
  expect(
    markdown('<p>x<img src="/i.png" alt="A [lamp]"><img src="/spacer.gif" alt=""><img src="data:," alt="d"></p>'),
  ).toBe("x![A lamp](https://example.org/i.png)");
});

test("names of elements that objects have too are only names", () => {
  expect(markdown("<constructor>a</constructor><toString>b</toString>")).toBe("ab");
});
