import { Marked } from "marked";
import { Slugs } from "../docs/headings.ts";
import { type DocsPage, PAGES } from "../docs/pages.ts";

/**
 * What a page of the documentation may do: show its own text in its own style. Nothing in it runs, and nothing is loaded
 * from elsewhere.
 */
export const DOCS_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** A page as HTML, with the list of all of them beside it. */
export function renderPage(page: DocsPage): string {
  return wholePage(page.title, languageOf(page.name), page.name, renderMarkdown(page));
}

/** What is shown where there is no such page: that it is not there, and the list. */
export function renderMissing(typed: string, near: readonly string[]): string {
  const meant = near.map((name) => `<a href="${addressOf(name)}">${escapeHtml(name)}</a>`).join(", ");
  const hint = meant === "" ? "The list has every page that there is." : `Near it: ${meant}.`;
  const main = `<h1>Not found</h1>\n<p>There is no page <code>${escapeHtml(typed)}</code>. ${hint}</p>`;
  return wholePage("Not found", "en", undefined, main);
}

/** Where a page is. */
export function addressOf(name: string): string {
  if (name === "index") return "/docs";
  return `/docs/${name.replace(/\/index$/, "")}`;
}

function renderMarkdown({ name, text }: DocsPage): string {
  const slugs = new Slugs();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text: source }) {
        return `<h${depth} id="${escapeHtml(slugs.of(source))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const address = linkFrom(name, href);
        return address === undefined ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
      },
      // Our pages have neither, and what they say of HTML is to be read.
      html: ({ text: source }) => escapeHtml(source),
      image: ({ text: alternative }) => escapeHtml(alternative),
    },
  });
  const html = marked.parse(text, { async: false });
  return html.replaceAll("<table>", '<div class="wide"><table>').replaceAll("</table>", "</table></div>");
}

/** Where a link of a page leads: to another page by its file's name, to a heading, or to another site. */
function linkFrom(name: string, href: string): string | undefined {
  if (/^(?:https?:|#|\/(?!\/))/.test(href)) return href;
  const base = `docs://pages/${name}`;
  if (!URL.canParse(href, base)) return undefined;
  const { pathname, hash } = new URL(href, base);
  const target = pathname.slice(1).replace(/\.md$/, "");
  return PAGES.some((page) => page.name === target) ? addressOf(target) + hash : undefined;
}

function languageOf(name: string): "en" | "zh-Hans" {
  return name.startsWith("zh/") ? "zh-Hans" : "en";
}

function wholePage(title: string, language: string, current: string | undefined, main: string): string {
  const pages = language === "en" ? "All pages" : "全部页面";
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)} · Isopod</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<div class="docs">
<a class="to-pages" href="#pages">${pages}</a>
<main class="rich">
${main}</main>
<nav id="pages" aria-label="${pages}">
${listOf(current)}
</nav>
</div>
</body>
</html>
`;
}

function listOf(current: string | undefined): string {
  const items = PAGES.map(({ name, title }) => {
    const mark = name === current ? ' aria-current="page"' : "";
    return `<li lang="${languageOf(name)}"><a href="${addressOf(name)}"${mark}>${escapeHtml(title)}</a></li>`;
  });
  return `<ul>\n${items.join("\n")}\n</ul>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
