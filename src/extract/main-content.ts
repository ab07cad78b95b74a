import { Readability } from "@mozilla/readability";
import { plainLength, removeAround, removeFrame, removeHeaders, removeLinkLists, textLength } from "./boilerplate.ts";
import type { DocumentNode, ElementNode } from "./html-tree.ts";

/** The part of a page that people come for. */
export interface MainContent {
  title: string;
  content: ElementNode;
}

/**
 * An article has at least this share of the text of its page that is in no link. Where the longest part has less, the
 * page has many parts, such as a thread or a list of products, and all of them are its content.
 */
const LEAST_SHARE = 0.4;
/** What has fewer characters is an article only with the larger share: Readability is not sure of it. */
const SHORT_CHARS = 500;
const LEAST_SHARE_OF_SHORT = 0.6;

/** Finds the article of a page with Readability, or takes the page without what stands around it. Changes the tree. */
export function mainContent(document: DocumentNode): MainContent {
  removeFrame(document);
  const page = document.body.cloneNode(true);
  const article = findArticle(document);
  removeAround(page);
  removeHeaders(page);
  const content = mainElement(page);
  if (article !== undefined && isMost(article.content, content)) return article;
  return { title: article?.title || document.title, content };
}

function findArticle(document: DocumentNode): MainContent | undefined {
  const options = {
    serializer: (node: unknown) => node as ElementNode,
    // A list of sources has more links than an article, and belongs to it.
    linkDensityModifier: 0.1,
    keepClasses: true,
    // It is not bounded, and the title is also elsewhere.
    disableJSONLD: true,
  };
  const { title, content } = new Readability(document as never, options).parse() ?? {};
  if (!content) return undefined;
  removeAround(content);
  removeLinkLists(content);
  return { title: title ?? "", content };
}

function mainElement(page: ElementNode): ElementNode {
  const [main] = page.getElementsByTagName("main");
  return main !== undefined && textLength(main) > LEAST_MAIN_CHARS ? main : page;
}

/** A `main` with less is filled by a script, or holds only a part. */
const LEAST_MAIN_CHARS = 200;

function isMost(article: ElementNode, page: ElementNode): boolean {
  const length = plainLength(article);
  return length >= plainLength(page) * (length < SHORT_CHARS ? LEAST_SHARE_OF_SHORT : LEAST_SHARE);
}
