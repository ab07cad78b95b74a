import { expect, test } from "vitest";
import { formatMessages } from "../../../src/channels/markup/markup.ts";
import { emailMarkup, lineMarkup, smsMarkup } from "../../../src/channels/markup/plain-platforms.ts";

const SOURCE =
  "# a\n\n**b** *c* `d` [e](https://a.example/f_(g)) 2 * 3 * 4\n\n1. h\n   - [x] i\n\n> j\n> > k\n\n| l | 名 |\n|---|--:|\n| m\\|n | o |\n\n```sh\np <q>\n```";

test("LINE and SMS show text alone, with the cells of a table in a line", () => {
  for (const markup of [lineMarkup, smsMarkup]) {
    expect(formatMessages(SOURCE, markup)).toEqual([
      "a\n\nb c d e (https://a.example/f_(g)) 2 * 3 * 4\n\n1. h\n   ☑ i\n\n> j\n>\n> > k\n\nl | 名\nm|n | o\n\np <q>",
    ]);
  }
});

test("the text of an email draws its tables, and is one part however long it is", () => {
  expect(formatMessages(SOURCE, emailMarkup)[0]).toContain("l   | 名\n----+---\nm|n |  o");
  expect(formatMessages("word ".repeat(100_000), emailMarkup)).toHaveLength(1);
});

test("an SMS has at most 1,600 UTF-16 units, and a message of LINE 5,000", () => {
  expect(formatMessages("🦊".repeat(800), smsMarkup)).toHaveLength(1);
  expect(formatMessages("🦊".repeat(801), smsMarkup)).toHaveLength(2);
  expect(formatMessages("x".repeat(5_001), lineMarkup)).toHaveLength(2);
});
