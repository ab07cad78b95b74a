import { Parser } from "htmlparser2";
import { type Attributes, createHiddenTest } from "./hidden.ts";

/** Receives the parts of a page that its readers see, in order. Elements are closed in the order they were opened. */
export interface Visitor {
  open(name: string, attributes: Attributes): void;
  close(): void;
  text(text: string): void;
}

/** Elements without text for a reader. */
const DROPPED = new Set(
  "script style template iframe frame object embed canvas svg audio video map datalist select option textarea input button dialog".split(
    " ",
  ),
);

/** With this share of a page's text hidden by its style sheet a script shows it: nobody hides the page itself. */
const MOST_SHEET_HIDDEN = 0.3;
/** Below so many characters a page is empty without its scripts. */
const LEAST_CHARS = 250;

/**
 * A tag takes the parser time by how many elements are open: a page that takes more of it than this is cut. One with
 * 3,500 elements in one another takes 6 million.
 */
const MAX_STEPS = 60_000_000;
/** After so many characters the steps of tags that close nothing are counted. */
const CHUNK_CHARS = 64 * 1024;

/** Why text is left out that may be for readers all the same. */
type Doubt = "sheet" | "noscript";

/** A visitor that has read a page, and whether it was cut, because its elements nest too deeply. */
export interface Reading<V> {
  visitor: V;
  isCut: boolean;
}

/**
 * Reads a page without what its readers do not see.
 * @param visit makes a visitor; it is called again if the page shows almost nothing without its scripts
 */
export function readVisible<V extends Visitor>(html: string, visit: () => V): Reading<V> {
  const hidden = createHiddenTest(html);
  const first = visit();
  const { isCut, ...chars } = read(html, first, hidden, new Set());
  const shown = new Set<Doubt>();
  if (chars.sheet > MOST_SHEET_HIDDEN * (chars.visible + chars.sheet)) shown.add("sheet");
  if (chars.visible < LEAST_CHARS && chars.noscript > chars.visible) shown.add("noscript");
  if (shown.size === 0) return { visitor: first, isCut };
  const second = visit();
  return { visitor: second, isCut: read(html, second, hidden, shown).isCut };
}

/** @returns how many characters are visible, and how many are in doubt */
function read(
  html: string,
  visitor: Visitor,
  hidden: ReturnType<typeof createHiddenTest>,
  shown: ReadonlySet<Doubt>,
): Record<Doubt | "visible", number> & { isCut: boolean } {
  const chars = { visible: 0, sheet: 0, noscript: 0 };
  let depth = 0;
  let steps = 0;
  /** How many elements are open in one that is left out, and why it is. */
  let skipped = 0;
  let doubt: Doubt | undefined;
  let isInMetadata = false;

  function isLeftOut(name: string, attributes: Attributes): boolean {
    doubt = undefined;
    if (name === "html" || name === "body" || isMetadata(name, attributes)) return false;
    if (DROPPED.has(name) || hidden.byElement(attributes)) return true;
    if (name === "noscript") doubt = "noscript";
    else if (hidden.bySheet(attributes)) doubt = "sheet";
    return doubt !== undefined && !shown.has(doubt);
  }

  const parser = new Parser({
    onopentag(name, attributes) {
      steps += ++depth;
      if (steps > MAX_STEPS) return parser.pause();
      isInMetadata = isMetadata(name, attributes);
      if (skipped > 0 || isLeftOut(name, attributes)) skipped++;
      else visitor.open(name, attributes);
    },
    onclosetag() {
      depth--;
      isInMetadata = false;
      if (skipped > 0) skipped--;
      else visitor.close();
    },
    ontext(text) {
      if (skipped === 0) visitor.text(text);
      const kind = skipped === 0 ? "visible" : doubt;
      if (kind !== undefined && !isInMetadata) chars[kind] += text.trim().length;
    },
  });
  for (let at = 0; at < html.length && steps <= MAX_STEPS; at += CHUNK_CHARS) {
    const chunk = html.slice(at, at + CHUNK_CHARS);
    parser.write(chunk);
    steps += depth * (chunk.split("</").length - 1);
  }
  parser.end();
  return { ...chars, isCut: steps > MAX_STEPS };
}

/** Readability finds the title and the author in it. */
function isMetadata(name: string, { type }: Attributes): boolean {
  return name === "script" && type === "application/ld+json";
}
