import { expect, test } from "vitest";
import { renderPage } from "../../src/http/docs-page.ts";

function rendered(text: string, name = "index"): string {
  return renderPage({ name, title: "<b>Title</b>", about: "", text });
}

test("HTML and images in a documentation page are escaped, so that nothing runs or loads", () => {
  const html = rendered(
    [
      "<script>alert(1)</script>",
      "An <img src=x onerror=alert(1)> in a line, and ![a picture](https://elsewhere.test/a.png).",
      "[one](javascript:alert(1)) [two](data:text/html,x) [three](//elsewhere.test) [four](vbscript:x)",
      '## A "heading" <svg onload=alert(1)>',
    ].join("\n\n"),
  );
  expect(html).toContain("<title>&#60;b&#62;Title");
  expect(html).toContain("&lt;script&gt;");
  expect(html).not.toMatch(/<script|<img|<svg|javascript:|data:text|vbscript:|elsewhere\.test/);
});

test("links to pages and other sites work; a link without a target becomes text", () => {
  const links = "[a](models.md#keys) [b](#here) [c](https://example.org/x) [d](nothing.md) [e](/v1/me)";
  const html = rendered(links);
  expect(html).toContain('<a href="/docs/models#keys">a</a> <a href="#here">b</a>');
  expect(html).toContain('<a href="https://example.org/x">c</a> d <a href="/v1/me">e</a>');
  expect(rendered("[a](../models.md) [b](index.md) [c](../../x.md)", "zh/getting-started")).toContain(
    '<a href="/docs/models">a</a> <a href="/docs/zh">b</a> c',
  );
});
