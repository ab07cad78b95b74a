import { readMarkdown } from "../markdown.ts";
import { splitRuns } from "../split.ts";
import { isVisible, type Mark, type StyledRun, sharedDepth } from "../styled-text.ts";

/**
 * Most UTF-16 units of one part, markup included. Telegram's limit is 4,096 characters "after entities parsing", that
 * is without markup; counting markup as well is stricter, so that a part fits either way.
 */
export const MAX_PART_UNITS = 4096;

/** Telegram silently drops formatting after this many entities. */
const MAX_ENTITIES = 100;

/** Longest escaped address that becomes a link; a longer one is written out. */
const MAX_HREF_UNITS = 1024;

/** Formats a reply as messages in Telegram's HTML, each within its limits. A blank reply gives none. */
export function formatHtml(markdown: string): string[] {
  const limit = { units: MAX_PART_UNITS, fits };
  return splitRuns(readMarkdown(markdown.toWellFormed(), canLink), limit).filter(isVisible).map(toHtml);
}

function fits(runs: readonly StyledRun[]): boolean {
  return countEntities(runs) <= MAX_ENTITIES && toHtml(runs).length <= MAX_PART_UNITS;
}

/** Bold, italic and strike count per run, since Telegram splits them at nested entities. */
function countEntities(runs: readonly StyledRun[]): number {
  const whole = new Set<Mark>();
  let pieces = 0;
  for (const mark of runs.flatMap((run) => run.marks)) {
    if (mark.kind === "bold" || mark.kind === "italic" || mark.kind === "strike") pieces++;
    else whole.add(mark);
  }
  return pieces + whole.size;
}

/** Telegram links http(s) addresses only, and none whose host has no dot. */
function canLink(href: string): boolean {
  if (!URL.canParse(href) || escapeHtml(href).length > MAX_HREF_UNITS) return false;
  const { protocol, hostname } = new URL(href);
  return (protocol === "https:" || protocol === "http:") && (hostname.includes(".") || hostname.startsWith("["));
}

/** Writes runs as balanced Telegram HTML. */
function toHtml(runs: readonly StyledRun[]): string {
  let html = "";
  let open: readonly Mark[] = [];
  for (const run of runs) {
    const kept = sharedDepth(open, run.marks);
    html += closeAll(open.slice(kept)) + openAll(run.marks.slice(kept)) + escapeHtml(run.text);
    open = run.marks;
  }
  return html + closeAll(open);
}

function openAll(marks: readonly Mark[]): string {
  return marks.map((mark) => htmlTags(mark)[0]).join("");
}

function closeAll(marks: readonly Mark[]): string {
  return marks
    .map((mark) => htmlTags(mark)[1])
    .reverse()
    .join("");
}

/** The tags of a mark. */
function htmlTags(mark: Mark): [open: string, close: string] {
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
      return ["<blockquote>", "</blockquote>"];
    case "preformatted":
      if (mark.language === undefined) return ["<pre>", "</pre>"];
      return [`<pre><code class="language-${escapeHtml(mark.language)}">`, "</code></pre>"];
    case "link":
      return [`<a href="${escapeHtml(mark.href)}">`, "</a>"];
  }
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}

/** A part without our markup, for when Telegram cannot parse it. */
export function toPlainText(html: string): string {
  const bare = html.replace(/<\/?(?:b|i|s|pre|blockquote|code(?: class="[^"<>]*")?|a(?: href="[^"<>]*")?)>/g, "");
  return bare.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
