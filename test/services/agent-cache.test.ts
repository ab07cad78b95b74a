import { expect, test } from "vitest";
import { AgentCache } from "../../src/services/agent-cache.ts";
import type { FetchedPage } from "../../src/tools/web-fetch.ts";

const MINUTE = 60_000;

const cache = (now: () => number) => new AgentCache<FetchedPage>(({ text }) => text.length, now);

function page(text: string) {
  return { address: "https://example.org/", title: "", text };
}

test("a page is known to its agent for as long as it says, and to no other agent", () => {
  let now = 0;
  const pages = cache(() => now);
  const mine = pages.of("main", 15 * MINUTE);
  mine.keep("read https://example.org/", page("one"));
  expect(mine.find("read https://example.org/")).toEqual(page("one"));
  expect(mine.find("raw https://example.org/")).toBeUndefined();
  expect(pages.of("other", 15 * MINUTE).find("read https://example.org/")).toBeUndefined();
  now = 15 * MINUTE - 1;
  // Reading it again does not keep it longer.
  mine.keep("read https://example.org/", mine.find("read https://example.org/")!);
  now = 15 * MINUTE;
  expect(mine.find("read https://example.org/")).toBeUndefined();
  mine.keep("read https://example.org/", page("two"));
  expect(mine.find("read https://example.org/")).toEqual(page("two"));
});

test("no page is kept where pages are not to be shown again", () => {
  const pages = cache(() => 0);
  pages.of("main", 0).keep("a", page("one"));
  expect(pages.of("main", MINUTE).find("a")).toBeUndefined();
});

test("pages are bounded in number and in characters, the oldest go first", () => {
  const pages = cache(() => 0).of("main", MINUTE);
  for (let n = 0; n < 201; n++) pages.keep(`small ${n}`, page("x"));
  expect(pages.find("small 0")).toBeUndefined();
  expect(pages.find("small 1")).toBeDefined();
  for (let n = 0; n < 5; n++) pages.keep(`large ${n}`, page("x".repeat(2_000_000)));
  expect(pages.find("small 200")).toBeUndefined();
  expect(pages.find("large 0")).toBeUndefined();
  expect(pages.find("large 1")).toBeDefined();
  pages.keep("too large", page("x".repeat(8_000_001)));
  expect(pages.find("too large")).toBeUndefined();
  expect(pages.find("large 4")).toBeDefined();
});
