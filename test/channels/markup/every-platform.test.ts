import { describe, expect, test } from "vitest";
import { formatMessages } from "../../../src/channels/markup/markup.ts";
import { parseTelegramHtml } from "../../fakes/telegram-html.ts";
import { FENCED, PLATFORMS, smaller } from "./platforms.ts";
import { numbers, PIECES, scribble } from "./random-markdown.ts";
import { TEXTS } from "./texts.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const INVISIBLE = /[\s\u200b\u2060\ufeff\u00ad\u2028\u2029]/g;
const MASS_MENTIONS: Readonly<Record<string, RegExp>> = {
  slack: /<[!@]/,
  discord: /@(?:everyone|here)|<@&/i,
  feishu: /<at\s/i,
  wecom: /<@/,
  googlechat: /<users\//,
};

/** A part as it is shown, by and large: without markup, and without what references stand for. */
function shown(platform: string, part: string): string {
  if (platform !== "telegram") return PLATFORMS[platform]!.plain(part);
  const parsed = parseTelegramHtml(part);
  if (!parsed.ok) throw new Error(`${parsed.problem} in ${part}`);
  return parsed.text;
}

/** The fence that is still open at the end of a part. */
function openFence(part: string): string | undefined {
  let open: string | undefined;
  for (const line of part.split("\n")) {
    const [, fence, rest = ""] = /^\s*(?:>\s?)*(`{3,})(.*)$/.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === undefined) open = rest.includes("`") ? undefined : fence;
    else if (fence.length >= open.length && rest.trim() === "") open = undefined;
  }
  return open;
}

/** What must hold of the parts of any text. */
function expectSound(platform: string, parts: readonly string[], what: string): void {
  const markup = PLATFORMS[platform]!;
  for (const [index, part] of parts.entries()) {
    const where = `${platform}, ${what}, part ${index}`;
    expect(part.replace(INVISIBLE, ""), where).not.toBe("");
    expect(part.isWellFormed(), where).toBe(true);
    expect(markup.limit.size(part), where).toBeLessThanOrEqual(markup.longest ?? markup.limit.most);
    if (FENCED.includes(platform)) expect(openFence(part), where).toBeUndefined();
    if (MASS_MENTIONS[platform]) expect(part, where).not.toMatch(MASS_MENTIONS[platform]!);
    expect(() => shown(platform, part), where).not.toThrow();
  }
}

describe.each(Object.keys(PLATFORMS))("a reply on %s", (platform) => {
  const markup = PLATFORMS[platform]!;

  test.each(TEXTS)("with $name is within the limits and loses no word", ({ name, markdown, keeps }) => {
    const parts = formatMessages(markdown, markup);
    expectSound(platform, parts, name);
    const whole = parts.map((part) => shown(platform, part)).join("\n");
    let at = 0;
    for (const word of keeps) {
      const found = whole.indexOf(word, at);
      expect(found, `${word} in ${whole.slice(at, at + 300)}`).toBeGreaterThanOrEqual(0);
      at = found + word.length;
    }
  });

  test("cuts no emoji, flag or accent, however long a word is", () => {
    const word = "👩‍👩‍👧‍👦🇩🇪👍🏽e\u0301𠀀❤️".repeat(40);
    const parts = formatMessages(word, smaller(markup, 90));
    expect(parts.length).toBeGreaterThan(5);
    const whole = parts.map((part) => shown(platform, part));
    expect(whole.join("")).toBe(word);
    const borders = new Set(Array.from(graphemes.segment(word), ({ index }) => index));
    let offset = 0;
    for (const part of whole) {
      expect(borders.has(offset)).toBe(true);
      offset += part.length;
    }
  });

  test("says every word once and in order when it is cut", () => {
    const words = Array.from({ length: 400 }, (_, n) => `w${n}`);
    const markdown = words
      .map((word, n) => (n % 7 === 0 ? `**${word}**` : n % 11 === 0 ? `\n\n- ${word}` : word))
      .join(" ");
    const parts = formatMessages(markdown, smaller(markup, 150));
    expect(parts.length).toBeGreaterThan(10);
    expect(
      parts
        .map((part) => shown(platform, part))
        .join("\n")
        .match(/w\d+/g),
    ).toEqual(words);
  });

  test("keeps code code in every part, with its lines whole", () => {
    const lines = Array.from({ length: 200 }, (_, n) => `  line${n}();`);
    const parts = formatMessages(`Look:\n\n\`\`\`js\n${lines.join("\n")}\n\`\`\``, smaller(markup, 200));
    expect(parts.length).toBeGreaterThan(10);
    for (const part of parts) {
      if (FENCED.includes(platform)) expect(part).toMatch(/^```/m);
      if (platform === "telegram") expect(part).toContain("<pre>");
    }
    const found = parts.flatMap((part) => shown(platform, part).match(/line\d+\(\);/g) ?? []);
    expect(found).toEqual(lines.map((line) => line.trim()));
  });

  test("that says nothing is none", () => {
    for (const blank of ["", " \n\n ", "\u200b\u2060", "\u0000", "\ud800".slice(1)]) {
      expect(formatMessages(blank, markup)).toEqual([]);
    }
  });

  test("without visible text is sent as written", () => {
    const [part = ""] = formatMessages("[a]: https://a.example", markup);
    expect(shown(platform, part)).toContain("https://a.example");
  });

  test("of random Markdown is within the limits, whatever it is", () => {
    for (let seed = 1; seed <= 25; seed++) {
      const markdown = scribble(numbers(seed), PIECES, 400);
      expectSound(platform, formatMessages(markdown, markup), `seed ${seed}`);
      const small = smaller(markup, 400);
      for (const part of formatMessages(markdown, small)) {
        expect(part.length, `seed ${seed}`).toBeLessThanOrEqual(400);
        if (FENCED.includes(platform)) expect(openFence(part), `seed ${seed}: ${part}`).toBeUndefined();
      }
    }
  });
});

describe("a long reply", () => {
  const long: Readonly<Record<string, string>> = {
    prose: "This is a **bold** word, `code` and a [link](https://a.example). 你好，世界。\n\n",
    Chinese: "这是**重要的。**内容，还有*斜体*，**「引号」**后面。",
    "one word": "x",
    stars: "*a",
    lists: "- a\n",
    quotes: "> > a\n",
    brackets: "![",
    emoji: "👩‍👩‍👧‍👦",
    nesting: ">",
    "wide tables": `| ${"x".repeat(5_000)} | b |\n|---|---|\n${"| a | b |\n".repeat(10_000)}`,
  };

  test.each(Object.entries(long))("of %s is written a few times, however many parts it has", (_, piece) => {
    const markdown = piece.repeat(Math.ceil(50_000 / piece.length)).slice(0, 50_000);
    for (const platform of ["telegram", "slack", "github", "wecom"]) {
      const { limit, ...markup } = PLATFORMS[platform]!;
      let written = 0;
      const size = (text: string) => {
        written += text.length;
        return limit.size(text);
      };
      const parts = formatMessages(markdown, { ...markup, limit: { ...limit, size } });
      expect(written, platform).toBeLessThan(12 * parts.join("").length);
    }
  });
});
