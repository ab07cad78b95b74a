import gettingStarted from "./getting-started.md";
import index from "./index.md";
import plugins from "./plugins.md";
import chineseGettingStarted from "./zh/getting-started.md";
import chineseIndex from "./zh/index.md";

/** A page of Isopod's own documentation. */
export interface DocsPage {
  /** What its address ends with, such as `configuration` or `zh/index`. */
  name: string;
  /** Its first heading. */
  title: string;
  /** The first sentence below that. */
  about: string;
  /** Markdown. */
  text: string;
}

/** All pages, in reading order. */
export const PAGES: readonly DocsPage[] = [
  page("index", index),
  page("getting-started", gettingStarted),
  page("plugins", plugins),
  page("zh/index", chineseIndex),
  page("zh/getting-started", chineseGettingStarted),
];

/**
 * The page of a name as people write it: in any case, with `.md` or without, a folder for its index. Undefined where there
 * is none.
 */
export function findPage(typed: string): DocsPage | undefined {
  const name = typed
    .toLowerCase()
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.md$/, "");
  const folder = name === "" ? "index" : `${name}/index`;
  return PAGES.find((one) => one.name === name) ?? PAGES.find((one) => one.name === folder);
}

function page(name: string, text: string): DocsPage {
  const [heading = "", first = ""] = text.split(/\n{2,}/);
  const about = /^[\s\S]*?(?:[.!?](?=\s|$)|[。！？]|$)/.exec(first)?.[0] ?? "";
  return { name, title: heading.replace(/^#\s+/, ""), about: about.replaceAll(/\s+/g, " "), text };
}
