/**
 * A tree of a page with the part of the DOM that Readability and Turndown use. A whole DOM would be ten times the code
 * of this Worker's other readers, and several times slower.
 */
type Child = ElementNode | TextNode;

/** An attribute; it does not change, so that a copy is the attribute itself. */
export class AttributeNode {
  readonly name: string;
  readonly value: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.value = value;
  }

  cloneNode(): AttributeNode {
    return this;
  }
}

/** What has a place among siblings. */
abstract class ChildNode {
  parentNode: ParentNode | null = null;
  previousSibling: Child | null = null;
  nextSibling: Child | null = null;
  readonly ELEMENT_NODE = 1;
  readonly TEXT_NODE = 3;

  get nextElementSibling(): ElementNode | null {
    let node = this.nextSibling;
    while (node instanceof TextNode) node = node.nextSibling;
    return node;
  }

  get previousElementSibling(): ElementNode | null {
    let node = this.previousSibling;
    while (node instanceof TextNode) node = node.previousSibling;
    return node;
  }

  remove(): void {
    this.parentNode?.removeChild(this as unknown as Child);
  }
}

/** Text between tags. */
export class TextNode extends ChildNode {
  readonly nodeType = 3;
  readonly nodeName = "#text";
  data: string;

  constructor(data: string) {
    super();
    this.data = data;
  }

  get nodeValue(): string {
    return this.data;
  }

  get childNodes(): Child[] {
    return [];
  }

  get textContent(): string {
    return this.data;
  }

  cloneNode(): TextNode {
    return new TextNode(this.data);
  }
}

/** What has children. */
export abstract class ParentNode extends ChildNode {
  firstChild: Child | null = null;
  lastChild: Child | null = null;

  get childNodes(): Child[] {
    const nodes: Child[] = [];
    for (let node = this.firstChild; node !== null; node = node.nextSibling) nodes.push(node);
    return nodes;
  }

  get children(): ElementNode[] {
    const elements: ElementNode[] = [];
    for (let node = this.firstElementChild; node !== null; node = node.nextElementSibling) elements.push(node);
    return elements;
  }

  get firstElementChild(): ElementNode | null {
    return this.firstChild instanceof TextNode ? this.firstChild.nextElementSibling : this.firstChild;
  }

  get lastElementChild(): ElementNode | null {
    return this.lastChild instanceof TextNode ? this.lastChild.previousElementSibling : this.lastChild;
  }

  get textContent(): string {
    let text = "";
    for (let node = this.firstChild; node !== null; node = nextBelow(node, this)) {
      if (node instanceof TextNode) text += node.data;
    }
    return text;
  }

  appendChild<Node extends Child>(node: Node): Node {
    node.remove();
    node.parentNode = this;
    node.previousSibling = this.lastChild;
    if (this.lastChild === null) this.firstChild = node;
    else this.lastChild.nextSibling = node;
    this.lastChild = node;
    return node;
  }

  removeChild<Node extends Child>(node: Node): Node {
    const { previousSibling: before, nextSibling: after } = node;
    if (before === null) this.firstChild = after;
    else before.nextSibling = after;
    if (after === null) this.lastChild = before;
    else after.previousSibling = before;
    node.parentNode = node.previousSibling = node.nextSibling = null;
    return node;
  }

  replaceChild<Node extends Child>(node: Child, old: Node): Node {
    node.remove();
    const { previousSibling: before, nextSibling: after } = old;
    node.parentNode = this;
    node.previousSibling = before;
    node.nextSibling = after;
    if (before === null) this.firstChild = node;
    else before.nextSibling = node;
    if (after === null) this.lastChild = node;
    else after.previousSibling = node;
    old.parentNode = old.previousSibling = old.nextSibling = null;
    return old;
  }

  /** The elements with a name, or all of them with `*`, in order of the page. Not live. */
  getElementsByTagName(name: string): ElementNode[] {
    return this.#withNames([name.toLowerCase()]);
  }

  /** @param names a list of names of elements, separated by commas: no other selector is known */
  querySelectorAll(names: string): ElementNode[] {
    return this.#withNames(names.toLowerCase().split(","));
  }

  #withNames(names: readonly string[]): ElementNode[] {
    const found: ElementNode[] = [];
    const [only] = names;
    const isAll = only === "*";
    for (let node = this.firstChild; node !== null; node = nextBelow(node, this)) {
      if (node instanceof ElementNode && (isAll || names.includes(node.localName))) found.push(node);
    }
    return found;
  }
}

/** An element. */
export class ElementNode extends ParentNode {
  readonly nodeType = 1;
  readonly localName: string;
  readonly tagName: string;
  readonly nodeName: string;
  readonly ownerDocument: DocumentNode;
  attributes: AttributeNode[] = [];

  constructor(name: string, ownerDocument: DocumentNode) {
    super();
    this.localName = name.toLowerCase();
    this.tagName = this.nodeName = name.toUpperCase();
    this.ownerDocument = ownerDocument;
  }

  getAttribute(name: string): string | null {
    return this.attributes.find((attribute) => attribute.name === name)?.value ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.getAttribute(name) !== null;
  }

  setAttribute(name: string, value: string): void {
    this.setAttributeNode(new AttributeNode(name, value));
  }

  setAttributeNode(attribute: AttributeNode): void {
    this.attributes = [...this.attributes.filter(({ name }) => name !== attribute.name), attribute];
  }

  removeAttribute(name: string): void {
    if (this.hasAttribute(name)) this.attributes = this.attributes.filter((attribute) => attribute.name !== name);
  }

  get id(): string {
    return this.getAttribute("id") ?? "";
  }

  set id(value: string) {
    this.setAttribute("id", value);
  }

  get className(): string {
    return this.getAttribute("class") ?? "";
  }

  set className(value: string) {
    this.setAttribute("class", value);
  }

  get src(): string {
    return this.getAttribute("src") ?? "";
  }

  get srcset(): string {
    return this.getAttribute("srcset") ?? "";
  }

  cloneNode(isDeep = false): ElementNode {
    const copy = new ElementNode(this.localName, this.ownerDocument);
    copy.attributes = this.attributes;
    if (isDeep) for (const child of this.childNodes) copy.appendChild(child.cloneNode(true));
    return copy;
  }

  /** A copy of what is inside. Readability only keeps it, to begin again from it. */
  get innerHTML(): ElementNode {
    return this.cloneNode(true);
  }

  set innerHTML(copy: ElementNode) {
    for (const child of this.childNodes) child.remove();
    for (const child of copy.cloneNode(true).childNodes) this.appendChild(child);
  }
}

/** A page, with a head and a body. */
export class DocumentNode extends ParentNode {
  readonly nodeType = 9;
  readonly nodeName = "#document";
  readonly documentElement: ElementNode;
  readonly head: ElementNode;
  readonly body: ElementNode;
  readonly documentURI: string;
  /** The address that its links start from. */
  baseURI: string;

  constructor(address: string) {
    super();
    this.documentURI = this.baseURI = address;
    this.documentElement = this.appendChild(this.createElement("html"));
    this.head = this.documentElement.appendChild(this.createElement("head"));
    this.body = this.documentElement.appendChild(this.createElement("body"));
  }

  get title(): string {
    const [title] = this.head.getElementsByTagName("title");
    return title?.textContent.replace(/\s+/g, " ").trim() ?? "";
  }

  createElement(name: string): ElementNode {
    return new ElementNode(name, this);
  }

  createTextNode(data: string): TextNode {
    return new TextNode(data);
  }
}

/** The node after another one below a root, in order of the page; null after the last one. */
function nextBelow(node: Child, root: ParentNode): Child | null {
  if (node instanceof ElementNode && node.firstChild !== null) return node.firstChild;
  let at: Child | ParentNode | null = node;
  while (at !== null && at !== root) {
    if (at.nextSibling !== null) return at.nextSibling;
    at = at.parentNode;
  }
  return null;
}
