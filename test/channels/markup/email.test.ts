import { describe, expect, test } from "vitest";
import { formatEmail } from "../../../src/channels/markup/email.ts";

describe("an email", () => {
  test("has the same words as text and as HTML", () => {
    expect(formatEmail("# a\n\nb\n**c**[d](https://a.example) 这是**重要的。**内容")).toEqual({
      text: "a\n\nb\ncd (https://a.example) 这是重要的。内容",
      html: '<h1>a</h1>\n<p>b<br>\n<strong>c</strong><a href="https://a.example">d</a> 这是<strong>重要的。</strong>内容</p>\n',
    });
    expect(formatEmail("| a |\n|---|\n| b |").html).toMatch(/^<table border="1" [^>]*>\n<thead>/);
  });

  test("has no script, no remote picture, and no links but to the web and mail", () => {
    const { html } = formatEmail(
      '<script>a()</script> <img src=x onerror=a()>\n\n![b](https://b.example/c.png) [![d](https://b.example/e.png)](https://f.example)\n\n[g](javascript:h) [i](data:text/html,j) [k](file:///l) [m](mailto:n@a.example) [o](https://a.example/"onclick="p)',
    );
    expect(html).not.toMatch(/<(?:script|img|style)|javascript:[^<]*"|href="(?!https:\/\/|mailto:)|"onclick/);
    expect(html).toContain('<a href="https://b.example/c.png">b</a> <a href="https://f.example">d</a>');
    expect(html).toContain('<a href="mailto:n@a.example">m</a>');
  });

  test("that says nothing is empty in both forms", () => {
    expect(formatEmail(" \n")).toEqual({ text: "", html: "" });
  });

  test("of any length has all its words in HTML", () => {
    const { html } = formatEmail(`${"<word> ".repeat(50_000)}end`);
    expect(html.match(/&lt;word&gt;/g)).toHaveLength(50_000);
    expect(html).toContain("end");
  });
});
