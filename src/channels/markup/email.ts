import type { Token } from "markdown-it";
import { createParser, MAX_MARKDOWN_UNITS } from "../markdown-parser.ts";
import { canLink } from "./links.ts";
import { formatMessages } from "./markup.ts";
import { emailMarkup } from "./plain-platforms.ts";

/** The two forms of one email, of which the reader's program shows one. */
export interface EmailBodies {
  text: string;
  html: string;
}

/** Formats a reply as an email. Both are empty for a blank reply. */
export function formatEmail(markdown: string): EmailBodies {
  const [text = ""] = formatMessages(markdown, emailMarkup);
  return { text, html: text === "" ? "" : emailHtml(markdown) };
}

const parser = createParser().set({ breaks: true });
parser.validateLink = (href) => canLink(href) || /^mailto:[^\s?]+$/i.test(href);
// Loading a remote image would reveal to its host that the email was read.
parser.renderer.rules.image = (tokens, index) => renderImage(tokens, index);
parser.renderer.rules.table_open = () => '<table border="1" cellpadding="6" style="border-collapse:collapse">\n';

/** Renders Markdown as HTML without scripts, styles of the author's, remote resources, and links but to the web and mail. */
function emailHtml(markdown: string): string {
  if (markdown.length > MAX_MARKDOWN_UNITS) return `<pre>${parser.utils.escapeHtml(markdown)}</pre>\n`;
  return parser.render(markdown.toWellFormed());
}

/** A link to the picture; its description, if it is in another link. */
function renderImage(tokens: readonly Token[], index: number): string {
  const { escapeHtml } = parser.utils;
  const image = tokens[index];
  const src = String(image?.attrGet("src") ?? "");
  const label = escapeHtml(image?.content || src);
  const depth = tokens
    .slice(0, index)
    .reduce((sum, { type, nesting }) => sum + (type.startsWith("link_") ? nesting : 0), 0);
  return depth > 0 ? label : `<a href="${escapeHtml(src)}">${label}</a>`;
}
