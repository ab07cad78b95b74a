import { expect, test } from "vitest";
import { readFeed } from "../../src/extract/read-feed.ts";

test("an RSS feed has a heading with a link, a time and a text for each entry", () => {
  const item = (n: number) =>
    `<item><title>Night ${n} &amp; day</title><link>/n/${n}</link><pubDate>Sun, 0${n} Nov 2026 06:00:00 GMT</pubDate><description><![CDATA[<p>Forty <b>lanterns</b>.</p><script>x()</script>]]></description></item>`;
  const xml = `<?xml version="1.0"?><rss version="2.0"><channel><title>Lanterns</title><description>Every night</description>${item(1)}${item(2)}</channel></rss>`;
  expect(readFeed(xml, "https://example.org/feed")).toEqual({
    title: "Lanterns",
    text: [
      "Every night",
      "## [Night 1 & day](https://example.org/n/1)\nSun, 01 Nov 2026 06:00:00 GMT\nForty **lanterns**.",
      "## [Night 2 & day](https://example.org/n/2)\nSun, 02 Nov 2026 06:00:00 GMT\nForty **lanterns**.",
    ].join("\n\n"),
  });
});

test("an Atom feed is read, other XML is none", () => {
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Lanterns</title><entry><title>Night</title><link href="https://example.org/n"/><updated>2026-11-01T06:00:00Z</updated><summary>Forty.</summary></entry></feed>`;
  expect(readFeed(atom, "https://example.org/")?.text).toBe(
    "## [Night](https://example.org/n)\n2026-11-01T06:00:00Z\nForty.",
  );
  expect(readFeed("<?xml version='1.0'?><lanterns/>", "https://example.org/")).toBeUndefined();
});

test("XML that is nested deeply is no feed, and one that breaks off is", () => {
  const start = "<rss><channel><title>x</title>";
  expect(readFeed(`${start}${"<a>".repeat(100_000)}`, "https://example.org/")).toBeUndefined();
  expect(readFeed(`${start}<item><title>Night</title>`, "https://example.org/")?.text).toBe("## Night");
});

test("of a feed with many entries the first are shown, and the rest is told", () => {
  const xml = `<rss><channel><title>x</title>${"<item><title>n</title></item>".repeat(501)}</channel></rss>`;
  expect(readFeed(xml, "https://example.org/")?.note).toBe("Only the first 500 of 501 entries.");
});
