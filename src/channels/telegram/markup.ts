import { readMarkdown } from "../markdown.ts";
import { splitRuns } from "../split.ts";
import { isVisible, type Mark, type StyledRun, sharedDepth } from "../styled-text.ts";

/**
 * Most UTF-16 units of one part, markup included. Telegram takes 4,096 characters "after entities parsing", that is
 * without the markup; counting the markup too is stricter, so that a part fits however it is counted.
 */
export const MAX_PART_UNITS = 4096;

/** Telegram drops the looks of a message after this many, without a word. */
const MAX_ENTITIES = 100;

/** Longest address that becomes a link, escaped; a longer one is written out. */
const MAX_HREF_UNITS = 1024;

/** Writes a reply as messages in Telegram's HTML, each within its limits. Shows nothing for a reply that is blank. */
export function formatHtml(markdown: string): string[] {
  const limit = { units: MAX_PART_UNITS, fits };
  return splitRuns(readMarkdown(markdown.toWellFormed(), canLink), limit).filter(isVisible).map(toHtml);
}

function fits(runs: readonly StyledRun[]): boolean {
  return countEntities(runs) <= MAX_ENTITIES && toHtml(runs).length <= MAX_PART_UNITS;
}

/** Bold, italic and strike are counted by the run, since Telegram cuts them at what they contain. */
function countEntities(runs: readonly StyledRun[]): number {
  const whole = new Set<Mark>();
  let pieces = 0;
  for (const mark of runs.flatMap((run) => run.marks)) {
    if (mark.kind === "bold" || mark.kind === "italic" || mark.kind === "strike") pieces++;
    else whole.add(mark);
  }
  return pieces + whole.size;
}

/** Telegram links to the web only, and drops an address whose host has no dot. */
function canLink(href: string): boolean {
  if (!URL.canParse(href) || escapeHtml(href).length > MAX_HREF_UNITS) return false;
  const { protocol, hostname } = new URL(href);
  return (protocol === "https:" || protocol === "http:") && (hostname.includes(".") || hostname.startsWith("["));
}

/** Writes runs as Telegram's HTML; every tag that it opens it closes. */
export function toHtml(runs: readonly StyledRun[]): string {
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

/** The tags around what is marked so. */
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

/** What a part says without its markup, for when Telegram cannot read the markup. What is not our markup stays. */
export function toPlainText(html: string): string {
  const bare = html.replace(/<\/?(?:b|i|s|pre|blockquote|code(?: class="[^"<>]*")?|a(?: href="[^"<>]*")?)>/g, "");
  return bare.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
