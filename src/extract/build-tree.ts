import { isBlock } from "./block-elements.ts";
import type { Attributes } from "./hidden.ts";
import { AttributeNode, DocumentNode, ElementNode, type ParentNode, TextNode } from "./html-tree.ts";
import type { Visitor } from "./visible-html.ts";

/** Elements below this depth are left out, and their text is kept: what reads a tree takes time by depth times size. */
const MAX_DEPTH = 100;
/** With more elements or text a page has no tree. */
const MAX_ELEMENTS = 25_000;
const MAX_CHARS = 1_500_000;

const HEAD = new Set(["title", "meta", "base", "link", "script"]);

/** The attributes that are read, and the most characters of each: patterns look at them often. */
const KEPT = new Map(
  Object.entries({
    ...{ id: 500, class: 500, role: 50, rel: 50, itemprop: 100, lang: 50, dir: 50, name: 100, property: 100 },
    ...{ type: 100, datetime: 100, start: 20, summary: 500, title: 500, alt: 1_000, alttext: 1_000, content: 1_000 },
    ...{ href: 2_000, src: 2_000, "aria-modal": 10 },
  }),
);
/** Where an image is that a script shows later. */
const LATER = ["data-src", "data-original", "data-lazy-src"];
/** The most characters of a title. */
const MAX_TITLE_CHARS = 1_000;

/** Builds the tree of a page. */
export class TreeBuilder implements Visitor {
  readonly #document: DocumentNode;
  readonly #open: ParentNode[] = [];
  #at: ParentNode;
  /** The link that is open. */
  #link: ElementNode | undefined;
  #elements = 0;
  #chars = 0;

  constructor(address: string) {
    this.#document = new DocumentNode(address);
    this.#at = this.#document.body;
  }

  /** The tree; undefined if the page is too large for one. */
  get document(): DocumentNode | undefined {
    return this.#isTooLarge ? undefined : this.#document;
  }

  get #isTooLarge(): boolean {
    return this.#elements > MAX_ELEMENTS || this.#chars > MAX_CHARS;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#isTooLarge) return;
    const { documentElement, head, body } = this.#document;
    // What does not belong in a head ends it.
    if (this.#at === head && !HEAD.has(name)) this.#at = body;
    if (name === "a") this.#unwrapLink();
    this.#open.push(this.#at);
    if (name === "html") keepAttributes(attributes, documentElement);
    else if (name === "head") this.#at = head;
    else if (name === "body") {
      keepAttributes(attributes, body);
      this.#at = body;
    } else if (this.#open.length > MAX_DEPTH) {
      if (isBlock(name)) this.#append("br", {});
    } else this.#at = this.#append(name, attributes);
  }

  close(): void {
    if (this.#isTooLarge) return;
    if (this.#at === this.#link) this.#link = undefined;
    this.#at = this.#open.pop() ?? this.#document.body;
  }

  text(text: string): void {
    this.#chars += text.length;
    if (this.#isTooLarge) return;
    const last = this.#at.lastChild;
    if (isLongTitle(this.#at)) return;
    if (last instanceof TextNode) last.data += text;
    else this.#at.appendChild(new TextNode(text));
  }

  #append(name: string, attributes: Attributes): ElementNode {
    this.#elements++;
    const { head, body, documentURI } = this.#document;
    const element = this.#document.createElement(name);
    keepAttributes(attributes, element);
    if (name === "base") {
      this.#document.baseURI = URL.parse(element.getAttribute("href") ?? "", documentURI)?.href ?? documentURI;
    }
    if (name === "a") this.#link = element;
    return (HEAD.has(name) && this.#at === body ? head : this.#at).appendChild(element);
  }

  /** No link is in another: one that was not closed before the next is none, or all the rest would be its text. */
  #unwrapLink(): void {
    const link = this.#link;
    const parent = link?.parentNode;
    if (link === undefined || !parent) return;
    this.#link = undefined;
    for (const child of link.childNodes) parent.appendChild(child);
    link.remove();
    const at = this.#open.indexOf(link);
    if (at !== -1) this.#open[at] = parent;
    if (this.#at === link) this.#at = parent;
  }
}

function keepAttributes(attributes: Attributes, element: ElementNode): void {
  for (const [name, value] of Object.entries(attributes)) {
    const max = KEPT.get(name);
    if (max !== undefined && value.length <= max) element.attributes.push(new AttributeNode(name, value));
    else if (max !== undefined && name === "class")
      element.attributes.push(new AttributeNode(name, value.slice(0, max)));
  }
  const later = LATER.map((name) => attributes[name]).find((value) => value !== undefined);
  if (element.localName === "img" && later !== undefined) element.setAttribute("src", later.slice(0, KEPT.get("src")));
}

function isLongTitle(node: ParentNode): boolean {
  return node instanceof ElementNode && node.localName === "title" && node.textContent.length > MAX_TITLE_CHARS;
}
