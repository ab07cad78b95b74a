import { Marked } from "marked";
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
        const address = linkTarget(name, href);
        return address === undefined ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
      },
      // Our pages use neither HTML nor images; text that looks like HTML is shown as text.
      html: ({ text: source }) => escapeHtml(source),
      image: ({ text: alternative }) => escapeHtml(alternative),
    },
  });
  const html = marked.parse(text, { async: false });
  return html.replaceAll("<table>", '<div class="wide"><table>').replaceAll("</table>", "</table></div>");
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
${pageList(current)}
</nav>
</div>
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
