import { DRAWN, readMarkdown, type ShownMarkdown } from "../markdown.ts";
import { mapAroundUrls } from "../markup/links.ts";
import { type Mark, type StyledRun, sharedDepth } from "../styled-text.ts";

/** What is shown in the chat box: words, and elements around them. It has no other markup, so that no page has to trust it. */
export type Content = string | ContentElement;

export interface ContentElement {
  is: ElementKind;
  /** Of a link. */
  href?: string;
  of: Content[];
}

export type ElementKind = "b" | "i" | "s" | "code" | "pre" | "quote" | "item" | "a";

const shows: ShownMarkdown = { ...DRAWN, canLink };

/** A reply, as the chat box shows it. */
export function readContent(markdown: string): Content[] {
  return nested(readMarkdown(markdown, shows), 0);
}

/** A link, as the chat box shows it. */
export function linkContent(label: string, href: string): Content[] {
  return [{ is: "a", href, of: [label] }];
}

function canLink(href: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(href) && URL.canParse(href);
}

/** Runs that share their first `depth` marks: those that share the next one, too, are in one element. */
function nested(runs: readonly StyledRun[], depth: number): Content[] {
  const content: Content[] = [];
  for (let start = 0; start < runs.length; ) {
    const first = runs[start];
    const mark = first?.marks[depth];
    let end = start + 1;
    while (first && mark && sharedDepth(first.marks, runs[end]?.marks ?? []) > depth) end++;
    if (first && mark) content.push(...element(mark, nested(runs.slice(start, end), depth + 1)));
    else if (first) content.push(...words(first));
    start = end;
  }
  return content;
}

/** The words of a run, in which web addresses are links. */
function words({ text, marks }: StyledRun): Content[] {
  if (marks.some(({ kind }) => kind === "link" || kind === "code" || kind === "preformatted")) return [text];
  const content: Content[] = [];
  const add = (piece: string, ...shown: Content[]) => {
    content.push(...shown);
    return piece;
  };
  mapAroundUrls(
    text,
    (piece) => (piece === "" ? piece : add(piece, piece)),
    (url) => add(url, ...linkContent(url, url)),
  );
  return content;
}

const ELEMENTS: Partial<Record<Mark["kind"], ElementKind>> = {
  heading: "b",
  bold: "b",
  italic: "i",
  strike: "s",
  code: "code",
  preformatted: "pre",
  quote: "quote",
  item: "item",
};

/** What a mark makes of its content; one that is not shown leaves it as it is. */
function element(mark: Mark, of: Content[]): Content[] {
  if (mark.kind === "link") return [{ is: "a", href: mark.href, of }];
  const is = ELEMENTS[mark.kind];
  return is === undefined ? of : [{ is, of }];
}
