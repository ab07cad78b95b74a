import { DRAWN, type ShownMarkdown } from "../markdown.ts";
import type { Mark, StyledRun } from "../styled-text.ts";
import { breakFences } from "./code.ts";
import { escapeMarkdown } from "./escape-markdown.ts";
import { codePoints, nestedJsonBytes, utf8Bytes, utf16Units } from "./limit.ts";
import { canLink } from "./links.ts";
import type { Markup } from "./markup.ts";
import { plainOfMarkdown } from "./plain-platforms.ts";
import type { Signs, Syntax } from "./syntax.ts";

/** CommonMark with GitHub's tables and strikethrough. */
export const MARKDOWN: Syntax = {
  inTags: false,
  signs: markdownSigns,
  signRule: "flanking",
  marksInLinks: true,
  heading: (level) => `${"#".repeat(level)} `,
  fence: (code, language) => {
    const fence = "`".repeat(Math.max(3, longestTicks(code) + 1));
    return [fence + (language ?? ""), fence];
  },
  text: (text, place) => escapeMarkdown(text, place, withBackslash),
  code: (text, { inCell }) => (inCell ? text.replaceAll("|", "\\|") : text),
  quote: "> ",
  lineBreak: "\n",
  commonMarkLists: true,
};

const shows: ShownMarkdown = {
  ...DRAWN,
  headings: 6,
  bullet: "- ",
  tasks: ["- ☑ ", "- ☐ "],
  canLink,
};

/** GitHub shows all of it. A line break in a comment is one. */
export const githubMarkup: Markup = {
  shows: { ...shows, tables: "kept", tasks: ["- [x] ", "- [ ] "], rule: "***" },
  syntax: { ...MARKDOWN, text: (text, place) => escapeMarkdown(text, place, withBackslash, inAngleBrackets) },
  limit: utf16Units(65_536),
  plain: plainOfMarkdown,
};

/**
 * Discord has no tables, and ends a code block at the first three backticks. An address in angle brackets has no
 * preview. `allowed_mentions` of a message forbids mentions; this breaks those of everyone in the text as well.
 */
export const discordMarkup: Markup = {
  shows: { ...shows, headings: 3 },
  syntax: {
    ...MARKDOWN,
    fence: shortFence,
    text: (text, place) => escapeMarkdown(text, place, withBackslash, inAngleBrackets),
    code: breakFences,
    commonMarkLists: false,
    massMention: /@(?=everyone|here)|<(?=@&)/gi,
  },
  limit: codePoints(2_000),
  plain: plainOfMarkdown,
};

/**
 * Text messages of Teams: no headings, tables or rules, and a line break needs two spaces. 100 KB of UTF-16 are the
 * most, 80 KB are recommended.
 * @see https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages
 */
export const teamsMarkup: Markup = {
  shows: { ...shows, headings: 0 },
  syntax: { ...MARKDOWN, text: (text, place) => escapeMarkdown(text, place, withoutTags), lineBreak: "  \n" },
  limit: utf16Units(40_000),
  plain: plainOfMarkdown,
};

/** Feishu refuses a card with more tables; the number is from experience, the documentation names none. */
const MAX_CARD_TABLES = 3;

/**
 * The Markdown component of Feishu's cards (JSON 2.0), which reads HTML tags as well. Lists are indented by four columns,
 * and the largest headings are out of place in a message. 30 KB are the most for a request, so some is left for what is
 * around the text.
 * @see https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-v2-components/content-components/rich-text
 */
export const feishuMarkup: Markup = {
  shows: { ...shows, tables: "kept", indent: 4, rule: "---" },
  syntax: {
    ...MARKDOWN,
    heading: (level) => (level === 1 ? "#### " : "##### "),
    text: (text, place) => escapeMarkdown(text, place, withoutTags),
    massMention: /<(?=\/?at\b)/gi,
  },
  limit: nestedJsonBytes(29_700),
  fits: (runs) => countTables(runs) <= MAX_CARD_TABLES,
  plain: plainOfMarkdown,
};

/**
 * DingTalk has no tables and no strikethrough; a line break needs two spaces. Its clients render HTML in Markdown, even
 * in code, so every tag is escaped. A message of over 20,000 bytes is refused.
 */
export const dingtalkMarkup: Markup = {
  shows: { ...shows, indent: 4 },
  syntax: {
    ...MARKDOWN,
    signs: (mark, text) => (mark.kind === "strike" ? undefined : markdownSigns(mark, text)),
    text: (text, place) => escapeMarkdown(text, place, withoutTags),
    code: (text) => text.replace(/<(?=[a-z/!?])/gi, "&lt;"),
    lineBreak: "  \n",
  },
  limit: utf8Bytes(19_000),
  plain: (part) => plainOfMarkdown(part).replaceAll("&lt;", "<"),
};

export function markdownSigns(mark: Mark, text: string): Signs | undefined {
  switch (mark.kind) {
    case "bold":
      return ["**", "**"];
    case "italic":
      return ["*", "*"];
    case "strike":
      return ["~~", "~~"];
    case "code":
      return codeSigns(text);
    case "link":
      return ["[", `](${mark.href.replaceAll("(", "%28").replaceAll(")", "%29")})`];
    default:
      return undefined;
  }
}

/** More backticks than are in the code, with a space where one is at its edge. */
function codeSigns(code: string): Signs {
  const ticks = "`".repeat(longestTicks(code) + 1);
  const space = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return [ticks + space, space + ticks];
}

function longestTicks(code: string): number {
  return (code.match(/`+/g) ?? []).reduce((most, ticks) => Math.max(most, ticks.length), 0);
}

/** For platforms that end a block at the first three backticks. */
export function shortFence(_code: string, language: string | undefined): Signs {
  return [`\`\`\`${language ?? ""}`, "```"];
}

function withBackslash(sign: string): string {
  return `\\${sign}`;
}

/** For platforms that render HTML in Markdown: a tag is none with a reference in place of its sign. */
function withoutTags(sign: string): string {
  return sign === "<" ? "&lt;" : sign === "&" ? "&amp;" : withBackslash(sign);
}

/** Ends an address where it ends: Chinese behind it would count to it. */
function inAngleBrackets(url: string): string {
  return `<${url}>`;
}

function countTables(runs: readonly StyledRun[]): number {
  return new Set(runs.flatMap(({ marks }) => marks.filter(({ kind }) => kind === "table"))).size;
}
