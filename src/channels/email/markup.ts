import { readMarkdown } from "../markdown.ts";
import { splitRuns } from "../split.ts";
import { type Mark, type StyledRun, sharedDepth } from "../styled-text.ts";

/** Most UTF-16 units of one email: so much Markdown is formatted. A longer reply is several. */
const MAX_PART_UNITS = 30_000;

/** The two forms of one email, of which the reader's program shows one. */
export interface EmailBodies {
  text: string;
  html: string;
}

/** The parts of a reply, in Markdown. A blank reply gives none. */
export function formatParts(markdown: string): string[] {
  const limit = { units: MAX_PART_UNITS, fits: () => true };
  return splitRuns([{ text: markdown.toWellFormed(), marks: [] }], limit)
    .map(([run]) => run?.text ?? "")
    .filter((text) => text.trim() !== "");
}

/** A part as an email. The text is the Markdown itself, which is made to be read; the HTML loads nothing. */
export function formatEmail(markdown: string): EmailBodies {
  return { text: markdown, html: toHtml(readMarkdown(markdown, canLink)) };
}

function canLink(href: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(href) && URL.canParse(href);
}

function toHtml(runs: readonly StyledRun[]): string {
  let html = "";
  let open: readonly Mark[] = [];
  for (const { text, marks } of runs) {
    const kept = sharedDepth(open, marks);
    html +=
      closeAll(open.slice(kept)) +
      marks
        .slice(kept)
        .map((mark) => tags(mark)[0])
        .join("");
    const isAsWritten = marks.some(({ kind }) => kind === "preformatted");
    html += isAsWritten ? escapeHtml(text) : escapeHtml(text).replaceAll("\n", "<br>\n");
    open = marks;
  }
  return `<div>${html}${closeAll(open)}</div>`;
}

function closeAll(marks: readonly Mark[]): string {
  return marks
    .map((mark) => tags(mark)[1])
    .reverse()
    .join("");
}

function tags(mark: Mark): [open: string, close: string] {
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
      return ["<pre>", "</pre>"];
    case "link":
      return [`<a href="${escapeHtml(mark.href)}">`, "</a>"];
  }
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}
