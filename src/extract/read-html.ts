import { TreeBuilder } from "./build-tree.ts";
import type { DocumentNode } from "./html-tree.ts";
import { mainContent } from "./main-content.ts";
import { toMarkdown } from "./markdown.ts";
import { PlainText } from "./plain-html.ts";
import { readVisible } from "./visible-html.ts";

/** The readable part of a page. */
export interface ReadablePage {
  title: string;
  /** Markdown. */
  text: string;
  /** What a reader must know of how it was read. */
  note?: string;
}

/** Below so many characters a page has shown nothing. */
const LEAST_CHARS = 250;

/** The readable part of a page as Markdown. @param address where its relative links start from */
export function readHtml(html: string, address: string): ReadablePage {
  const reading = readVisible(html, () => new TreeBuilder(address));
  const { document } = reading.visitor;
  if (document === undefined || reading.isCut) {
    const { visitor, isCut } = readVisible(html, () => new PlainText());
    return { ...visitor.page(), note: isCut ? TOO_DEEP : TOO_LARGE };
  }
  const base = document.baseURI;
  const stated = articleBody(document);
  const { title, content } = mainContent(document);
  const text = toMarkdown(content, base);
  if (text.length >= LEAST_CHARS) return { title, text };
  if (stated !== undefined && stated.length > 2 * text.length) return { title, text: stated };
  return { title, text, note: NEEDS_SCRIPTS };
}

const TOO_LARGE = "The page is too large to find its main part: this is its text without links.";
const TOO_DEEP = "The page nests its elements too deeply: this is the beginning of its text.";
const NEEDS_SCRIPTS =
  "The page shows almost no text: it is short, or its scripts bring the rest, which do not run here. Look for a feed, an API or another page with the same.";

/** The text of the article that a page states for search engines. */
function articleBody(document: DocumentNode): string | undefined {
  for (const script of document.getElementsByTagName("script")) {
    const [, body] = /"articleBody"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(script.textContent) ?? [];
    const text = body === undefined ? undefined : parsedString(body);
    if (text !== undefined) return text;
  }
  return undefined;
}

function parsedString(json: string): string | undefined {
  try {
    return String(JSON.parse(json));
  } catch {
    return undefined;
  }
}
