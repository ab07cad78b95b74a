import type { Token } from "markdown-it";
import { createParser } from "../channels/markdown-parser.ts";
import { Slugs } from "../docs/headings.ts";
import { type DocsPage, PAGES } from "../docs/pages.ts";

/** The Content-Security-Policy of documentation pages: their own style, no scripts, and nothing from other origins. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** A page as HTML, with the list of all pages. */
export function renderPage(page: DocsPage): string {
  return wholePage(page.title, pageLanguage(page.name), page.name, renderMarkdown(page));
}

/** The HTML for an unknown page, with the pages whose names are near, and the list. */
export function renderMissing(typed: string, near: readonly string[]): string {
  const meant = near.map((name) => `<a href="${pageAddress(name)}">${escapeHtml(name)}</a>`).join(", ");
  const hint = meant === "" ? "See the list of all pages." : `Near it: ${meant}.`;
  const main = `<h1>Not found</h1>\n<p>There is no page <code>${escapeHtml(typed)}</code>. ${hint}</p>`;
  return wholePage("Not found", "en", undefined, main);
}

/** The path of a page. */
export function pageAddress(name: string): string {
  if (name === "index") return "/docs";
  return `/docs/${name.replace(/\/index$/, "")}`;
}

const parser = createParser().set({ linkify: true });
// Whole addresses become links, names of files do not.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
// `linkTarget` decides what is one.
parser.validateLink = () => true;
parser.renderer.rules.table_open = () => '<div class="wide"><table>\n';
parser.renderer.rules.table_close = () => "</table></div>\n";
// Our pages have no images.
parser.renderer.rules.image = (tokens, index) => escapeHtml(tokens[index]?.content ?? "");

function renderMarkdown({ name, text }: DocsPage): string {
  const slugs = new Slugs();
  const tokens = parser.parse(text, {});
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") token.attrSet("id", slugs.of(tokens[index + 1]?.content ?? ""));
    leadLinks(name, token.children ?? []);
  }
  return parser.renderer.render(tokens, parser.options, {});
}

/** Leads links to the pages; one without a target is only its text. */
function leadLinks(name: string, tokens: readonly Token[]): void {
  let isHidden = false;
  for (const token of tokens) {
    if (token.type === "link_open") {
      const target = linkTarget(name, String(token.attrGet("href") ?? ""));
      isHidden = target === undefined;
      if (target !== undefined) token.attrSet("href", target);
    }
    if (token.type === "link_open" || token.type === "link_close") token.hidden = isHidden;
  }
}

/** The target of a link: another page by its file name, a heading, or another site; undefined where there is none. */
function linkTarget(name: string, href: string): string | undefined {
  if (/^(?:https?:|#|\/(?!\/))/.test(href)) return href;
  const base = `docs://pages/${name}`;
  if (!URL.canParse(href, base)) return undefined;
  const { pathname, hash } = new URL(href, base);
  const target = pathname.slice(1).replace(/\.md$/, "");
  return PAGES.some((page) => page.name === target) ? pageAddress(target) + hash : undefined;
}

function pageLanguage(name: string): "en" | "zh-Hans" {
  return name.startsWith("zh/") ? "zh-Hans" : "en";
}

function wholePage(title: string, language: string, current: string | undefined, main: string): string {
  const pages = language === "en" ? "All pages" : "全部页面";
  const body = `<div class="docs">
<a class="to-pages" href="#pages">${pages}</a>
<main class="rich">
${main}</main>
<nav id="pages" aria-label="${pages}">
${pageList(current)}
</nav>
</div>`;
  return htmlDocument({ title, language, body });
}

/** A document in the style of the documentation. @param head more elements of its head, each with its line break */
export function htmlDocument({
  title,
  language,
  head = "",
  body,
}: {
  title: string;
  language: string;
  head?: string;
  body: string;
}): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)} · Isopod</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs.css">
${head}</head>
<body>
${body}
</body>
</html>
`;
}

function pageList(current: string | undefined): string {
  const items = PAGES.map(({ name, title }) => {
    const mark = name === current ? ' aria-current="page"' : "";
    return `<li lang="${pageLanguage(name)}"><a href="${pageAddress(name)}"${mark}>${escapeHtml(title)}</a></li>`;
  });
  return `<ul>\n${items.join("\n")}\n</ul>`;
}

/** A text as HTML, also within quotation marks. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
