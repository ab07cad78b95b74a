import { DRAWN, type ShownMarkdown } from "../markdown.ts";
import type { Mark } from "../styled-text.ts";
import { breakFences, splitCode, withoutTicks } from "./code.ts";
import { WORD_JOINER, withoutInvisible } from "./invisible.ts";
import { utf8Bytes, utf16Units } from "./limit.ts";
import { canLink, mapAroundUrls } from "./links.ts";
import type { Markup } from "./markup.ts";
import type { Signs, Syntax } from "./syntax.ts";

/**
 * Platforms where `*bold*`, `_italic_` and `~strike~` are marked at borders of words, and nothing can be escaped: what
 * only looks like a sign is joined to a word.
 */
const STARS: Syntax = {
  inTags: false,
  signs: starSigns,
  signRule: "words",
  marksInLinks: false,
  heading: () => "",
  fence: () => ["```", "```"],
  text: (text, { atBlockStart }) => {
    return mapAroundUrls(text, (words, isFirst) => guard(words, atBlockStart && isFirst));
  },
  code: breakFences,
  quote: "> ",
  lineBreak: "\n",
  commonMarkLists: false,
};

const shows: ShownMarkdown = { ...DRAWN, bullet: "- ", canLink };

/** WhatsApp has no links, and quotes and lists since 2024. */
export const whatsappMarkup: Markup = {
  shows: { ...shows, canLink: () => false },
  syntax: STARS,
  limit: utf16Units(4_096),
  plain: plainOfStars,
};

/**
 * Google Chat's own syntax, which a message names with `markupSyntax: "MARKUP_SYNTAX_CHAT"`. The limit is for the whole
 * message, so some is left for its other fields.
 * @see https://developers.google.com/workspace/chat/format-messages
 */
export const googleChatMarkup: Markup = {
  shows,
  syntax: {
    ...STARS,
    signs: (mark, text) => (mark.kind === "link" ? linkSigns(mark.href) : starSigns(mark, text)),
    massMention: /<(?=users\/)/g,
  },
  limit: utf8Bytes(31_000),
  plain: (part) => plainOfStars(part.replace(LINK, "$2")),
};

/**
 * Slack's mrkdwn. Slack cuts a message at 40,000 characters, but says to keep it below 4,000; what is escaped counts in
 * full, hence a little less.
 * @see https://docs.slack.dev/messaging/formatting-message-text
 */
export const slackMarkup: Markup = {
  shows: { ...shows, bullet: "• " },
  syntax: {
    ...STARS,
    signs: (mark, text) => (mark.kind === "link" ? linkSigns(escapeSlack(mark.href)) : starSigns(mark, text)),
    text: (text, { atBlockStart, inLink }) => {
      return mapAroundUrls(
        text,
        (words, isFirst) => escapeSlack(guard(words, atBlockStart && isFirst)),
        (url) => (inLink ? escapeSlack(url) : `<${escapeSlack(url)}>`),
      );
    },
    code: (text) => escapeSlack(breakFences(text)),
  },
  limit: utf16Units(3_500),
  longest: 39_000,
  plain: (part) => unescapeSlack(plainOfStars(part.replace(LINK, "$2").replace(/<(https?:[^<>|]*)>/g, "$1"))),
};

/** A link with its label. */
const LINK = /<(https?:[^<>|]*)\|([^<>]*)>/g;

function starSigns(mark: Mark, text: string): Signs | undefined {
  switch (mark.kind) {
    case "bold":
      return ["*", "*"];
    case "italic":
      return ["_", "_"];
    case "strike":
      return ["~", "~"];
    case "code":
      return text.includes("`") ? undefined : ["`", "`"];
    default:
      return undefined;
  }
}

function linkSigns(href: string): Signs {
  return [`<${href}|`, ">"];
}

/** Signs at borders of words, where they would count. */
const SIGNS = /(?<![\p{L}\p{N}*_~`])[*_~`]+(?![\s*_~`])|(?<=[^\s*_~`])[*_~`]+(?![\p{L}\p{N}*_~`])/gu;

/** Signs at borders of words that are not joined to one. */
const OWN_SIGNS =
  /(?<![\p{L}\p{N}*_~\u2060])[*_~]+(?![\s*_~\u2060])|(?<=[^\s*_~\u2060\u200b])[*_~]+(?![\p{L}\p{N}*_~\u2060])/gu;

/** Joins what only looks like a sign to a word. */
function guard(text: string, atBlockStart: boolean): string {
  const guarded = text.replace(SIGNS, `${WORD_JOINER}$&${WORD_JOINER}`);
  return atBlockStart && guarded.startsWith(">") ? WORD_JOINER + guarded : guarded;
}

/** A part without the signs that no word joiner is beside. */
function plainOfStars(part: string): string {
  const pieces = splitCode(part).map((piece, index) => {
    return index % 2 === 1 ? withoutTicks(piece) : piece.replace(OWN_SIGNS, "");
  });
  return withoutInvisible(pieces.join(""));
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function escapeSlack(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

function unescapeSlack(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
