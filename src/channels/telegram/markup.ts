import { DRAWN } from "../markdown.ts";
import { utf16Units } from "../markup/limit.ts";
import { canLink } from "../markup/links.ts";
import type { Markup } from "../markup/markup.ts";
import type { Signs } from "../markup/syntax.ts";
import { isSpan, type Mark, type StyledRun } from "../styled-text.ts";

/**
 * Most UTF-16 units of one part, markup included. Telegram's limit is 4,096 characters "after entities parsing", that
 * is without markup; counting markup as well is stricter, so that a part fits either way.
 */
export const MAX_PART_UNITS = 4096;

/** Telegram silently drops formatting after this many entities. */
const MAX_ENTITIES = 100;

/** Longest escaped address that becomes a link; a longer one is written out. */
const MAX_HREF_UNITS = 1024;

/** Telegram's HTML. */
export const telegramMarkup: Markup = {
  shows: { ...DRAWN, canLink: (href) => canLink(href) && escapeHtml(href).length <= MAX_HREF_UNITS },
  syntax: {
    inTags: true,
    signs: htmlTags,
    signRule: "none",
    marksInLinks: true,
    heading: () => "",
    text: escapeHtml,
    code: escapeHtml,
    quote: escapeHtml("> "),
    lineBreak: "\n",
    commonMarkLists: false,
  },
  limit: utf16Units(MAX_PART_UNITS),
  fits: (runs) => countEntities(runs) <= MAX_ENTITIES,
  plain: toPlainText,
};

/** Words count per run, since Telegram splits them at nested entities; links do not. */
function countEntities(runs: readonly StyledRun[]): number {
  const whole = new Set<Mark>();
  let pieces = 0;
  for (const mark of runs.flatMap((run) => run.marks)) {
    if (isSpan(mark) && mark.kind !== "link" && mark.kind !== "code") pieces++;
    else if (htmlTags(mark) !== undefined) whole.add(mark);
  }
  return pieces + whole.size;
}

/** The tags of a mark. No quote is in another. */
function htmlTags(mark: Mark): Signs | undefined {
  switch (mark.kind) {
    case "bold":
      return ["<b>", "</b>"];
    case "italic":
      return ["<i>", "</i>"];
    case "strike":
      return ["<s>", "</s>"];
    case "code":
      return ["<code>", "</code>"];
    case "quote":
      return mark.nested ? undefined : ["<blockquote>", "</blockquote>"];
    case "preformatted":
      if (mark.language === undefined) return ["<pre>", "</pre>"];
      return [`<pre><code class="language-${escapeHtml(mark.language)}">`, "</code></pre>"];
    case "link":
      return [`<a href="${escapeHtml(mark.href)}">`, "</a>"];
    default:
      return undefined;
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** A part without our markup, for when Telegram cannot parse it. */
function toPlainText(html: string): string {
  const bare = html.replace(/<\/?(?:b|i|s|pre|blockquote|code(?: class="[^"<>]*")?|a(?: href="[^"<>]*")?)>/g, "");
  return bare.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
