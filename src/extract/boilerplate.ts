import type { DocumentNode, ElementNode } from "./html-tree.ts";

const FRAME = new Set(["nav", "footer"]);
const FRAME_ROLES = new Set("navigation contentinfo search dialog alertdialog menu menubar".split(" "));

/** Words in classes and ids of what stands around the content of a page. */
const AROUND =
  /(?:^|[-_\s])(?:newsletter|subscribe|share|sharing|social|related|recommend(?:ed|ations?)?|breadcrumbs?|sidebar|footer|nav|navbar|navigation|menu|popup|modal|advert(?:isement)?|ads?|promo|sponsor(?:ed)?|pagination|pager|skip-link|toolbar|login|signup|banner)(?:$|[-_\s])/i;
const NEVER_AROUND = new Set(["body", "main", "article", "h1"]);

/** What holds more of a page's text than this is no frame of it. */
const MOST_OF_TEXT = 0.5;

/** Classes and ids of what asks for consent, and of the links that wikis put beside each heading. */
const NEVER_CONTENT = /(?:^|[-_\s])(?:cookies?|consent|gdpr|mw-editsection)(?:$|[-_\s])/i;

/** Removes what a page says of itself to be its frame: navigation, the footer, dialogs. */
export function removeFrame({ body }: DocumentNode): void {
  removeUnlessMost(body, (element) => {
    if (FRAME.has(element.localName) || FRAME_ROLES.has(role(element))) return true;
    return !NEVER_AROUND.has(element.localName) && NEVER_CONTENT.test(names(element));
  });
}

/** Removes what most likely stands around the content, by names that are usual for it. */
export function removeAround(body: ElementNode): void {
  removeUnlessMost(body, (element) => {
    const { localName: name } = element;
    if (name === "aside" || role(element) === "complementary" || role(element) === "banner") return true;
    return !NEVER_AROUND.has(name) && AROUND.test(names(element));
  });
}

/** Removes the headers of a whole page, which have its logo and menu; the header of an article has its heading. */
export function removeHeaders(body: ElementNode): void {
  removeUnlessMost(
    body,
    (element) => element.localName === "header" && element.getElementsByTagName("h1").length === 0,
  );
}

/** With this share of a list's text in links it is a list of other pages. */
const MOST_LINKED = 0.7;

/** Removes numbered lists of other pages, as Readability removes those without numbers. */
export function removeLinkLists(article: ElementNode): void {
  removeUnlessMost(article, (element) => {
    if (element.localName !== "ol" || element.children.length < 3) return false;
    return plainLength(element) < (1 - MOST_LINKED) * textLength(element);
  });
}

/** The length of the text that is in no link. */
export function plainLength(element: ElementNode): number {
  const linked = element.getElementsByTagName("a").reduce((sum, link) => sum + textLength(link), 0);
  return textLength(element) - linked;
}

export function textLength({ textContent }: ElementNode): number {
  return textContent.replace(/\s+/g, " ").trim().length;
}

function removeUnlessMost(body: ElementNode, isMeant: (element: ElementNode) => boolean): void {
  const most = body.textContent.length * MOST_OF_TEXT;
  for (const element of body.getElementsByTagName("*")) {
    if (isMeant(element) && element.textContent.length < most) element.remove();
  }
}

function role(element: ElementNode): string {
  return element.getAttribute("role") ?? "";
}

function names({ className, id }: ElementNode): string {
  return `${className} ${id}`;
}
