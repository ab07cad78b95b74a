import type { Token } from "markdown-it";
import { type Alignment, drawTable } from "./draw-table.ts";
import { createParser, MAX_MARKDOWN_UNITS } from "./markdown-parser.ts";
import { isVisible, joinRuns, type Mark, plainText, type StyledRun } from "./styled-text.ts";

/** What a platform shows by itself; the reader makes the rest of bold lines, bullets, columns and written addresses. */
export interface ShownMarkdown {
  /** The deepest level of headings; deeper ones become bold lines. */
  headings: number;
  /** Whether tables keep their form, are drawn for a fixed-width font, or become lines, for platforms without one. */
  tables: "kept" | "drawn" | "lines";
  bullet: string;
  /** The bullets of done and open tasks. */
  tasks: readonly [done: string, open: string];
  /** The least indentation of what is inside an item, in columns. */
  indent: number;
  /** A horizontal rule. */
  rule: string;
  /** Whether the platform links to this address; other addresses are written out. */
  canLink(href: string): boolean;
}

/** For a platform of text alone. */
export const DRAWN: ShownMarkdown = {
  headings: 0,
  tables: "drawn",
  bullet: "• ",
  tasks: ["☑ ", "☐ "],
  indent: 0,
  rule: "———",
  canLink: () => false,
};

/** Longest row, in UTF-16 units, of a table that keeps its form: a row is not cut, so it has to be far below a part. */
const MAX_ROW_UNITS = 2_000;

/**
 * Parses GitHub Markdown into styled text. A line break is kept. HTML is text. Never throws and loses no word: what
 * follows the longest text that is parsed, and a text that would render to nothing, stay as written.
 */
export function readMarkdown(markdown: string, shows: ShownMarkdown): StyledRun[] {
  const parsed = markdown.length > MAX_MARKDOWN_UNITS ? parsedLength(markdown) : markdown.length;
  const tokens = nest(parser.parse(markdown.slice(0, parsed), {}));
  const runs = joinRuns([
    ...blocks(tokens, { marks: [], shows }, BLANK_LINE),
    { text: markdown.slice(parsed), marks: [] },
  ]);
  return isVisible(runs) ? runs : [{ text: markdown, marks: [] }];
}

/** Up to the last blank line. */
function parsedLength(markdown: string): number {
  const at = markdown.lastIndexOf(BLANK_LINE, MAX_MARKDOWN_UNITS - BLANK_LINE.length);
  return at > 0 ? at : MAX_MARKDOWN_UNITS;
}

const parser = createParser();
// Every address is read and written as the author did: `canLink` decides.
parser.validateLink = () => true;
parser.normalizeLink = (href) => href.replace(/[\p{Cc}\s"<>\\^`{|}]/gu, encodeURIComponent);

/** A token with what is inside of it. */
interface Node {
  token: Token;
  children: Node[];
}

function nest(tokens: readonly Token[]): Node[] {
  const root: Node[] = [];
  const open = [root];
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop();
      continue;
    }
    const node = { token, children: nest(token.children ?? []) };
    open.at(-1)?.push(node);
    if (token.nesting === 1) open.push(node.children);
  }
  return root;
}

/** The context of a token: the enclosing marks, the outermost first. */
interface ReadContext {
  marks: readonly Mark[];
  shows: ShownMarkdown;
}

const BLANK_LINE = "\n\n";

function words(text: string, context: ReadContext): StyledRun[] {
  return [{ text, marks: context.marks }];
}

/** What is no text of the author's: a bullet, or a break between blocks. */
function sign(text: string, context: ReadContext): StyledRun[] {
  return words(text, inside(context, { kind: "sign" }));
}

function inside(context: ReadContext, mark: Mark): ReadContext {
  return { ...context, marks: [...context.marks, mark] };
}

/** Adds a mark; one of a kind that is already there is not repeated. */
function within(context: ReadContext, mark: Mark): ReadContext {
  return has(context, mark.kind) ? context : inside(context, mark);
}

function has(context: ReadContext, kind: Mark["kind"]): boolean {
  return context.marks.some((mark) => mark.kind === kind);
}

function blocks(nodes: readonly Node[], context: ReadContext, gap: string): StyledRun[] {
  return nodes.flatMap((node, index) => [...(index > 0 ? sign(gap, context) : []), ...block(node, context)]);
}

function block({ token, children }: Node, context: ReadContext): StyledRun[] {
  switch (token.type) {
    case "heading_open":
      return heading(Number(token.tag.slice(1)), children, context);
    case "paragraph_open":
      return inlines(children, context);
    case "fence":
    case "code_block":
      return codeBlock(token, context);
    case "blockquote_open":
      return blocks(children, inside(context, { kind: "quote", nested: has(context, "quote") }), BLANK_LINE);
    case "bullet_list_open":
      return list(children, () => context.shows.bullet, context);
    case "ordered_list_open": {
      const first = Number(token.attrGet("start") ?? 1);
      return list(children, (index) => `${first + index}. `, context);
    }
    case "table_open":
      return table(children, context);
    case "hr":
      return sign(context.shows.rule, context);
    default:
      return inline({ token, children }, context);
  }
}

function heading(level: number, children: readonly Node[], context: ReadContext): StyledRun[] {
  const isShown = level <= context.shows.headings && !has(context, "item");
  const runs = inlines(children, within(context, isShown ? { kind: "heading", level } : { kind: "bold" }));
  return runs.map(({ text, marks }) => ({ text: text.replaceAll("\n", " "), marks }));
}

function codeBlock(token: Token, context: ReadContext): StyledRun[] {
  const language = token.info.trim().match(/^[\w+#.-]{1,40}/)?.[0];
  const mark: Mark = language === undefined ? { kind: "preformatted" } : { kind: "preformatted", language };
  return words(token.content.replace(/\n+$/, ""), inside(context, mark));
}

/** Items of a list with blank lines in it are apart, and so are their blocks. */
function list(items: readonly Node[], bulletAt: (index: number) => string, context: ReadContext): StyledRun[] {
  const isLoose = items.some((item) => item.children.some(({ token }) => token.tag === "p" && !token.hidden));
  const gap = isLoose ? BLANK_LINE : "\n";
  return items.flatMap((item, index) => {
    const task = takeTask(item);
    const bullet = task === undefined ? bulletAt(index) : (context.shows.tasks[task === "done" ? 0 : 1] ?? "");
    const indent = Math.max(context.shows.indent, bulletAt(index).length);
    return [
      ...sign((index > 0 ? gap : "") + bullet, context),
      ...blocks(item.children, inside(context, { kind: "item", indent }), gap),
    ];
  });
}

/** Whether an item is a task; removes its box. */
function takeTask(item: Node): "done" | "open" | undefined {
  const text = item.children[0]?.children[0]?.children[0]?.token;
  const box = text?.type === "text" ? /^\[([ xX])\] /.exec(text.content) : null;
  if (text === undefined || box === null) return undefined;
  text.content = text.content.slice(box[0].length);
  return box[1] === " " ? "open" : "done";
}

function table(sections: readonly Node[], context: ReadContext): StyledRun[] {
  const [header, ...rows] = sections.flatMap((section) => section.children).map((row) => row.children);
  if (header === undefined) return [];
  const align = header.map(({ token }) => alignment(token));
  if (context.shows.tables === "kept") {
    const kept = keptTable(header, rows, align, context);
    if (kept !== undefined) return kept;
  }
  const cells = [header, ...rows].map((row) => row.map((cell) => bareText(cell.children, context)));
  if (context.shows.tables === "lines") return words(cells.map((row) => row.join(" | ")).join("\n"), context);
  return words(drawTable(cells, align), inside(context, { kind: "preformatted" }));
}

function alignment(cell: Token): Alignment {
  const align = String(cell.attrGet("style") ?? "").replace("text-align:", "");
  return align === "left" || align === "right" || align === "center" ? align : null;
}

/** Undefined if a row is too long. */
function keptTable(
  header: readonly Node[],
  rows: readonly (readonly Node[])[],
  align: readonly Alignment[],
  context: ReadContext,
): StyledRun[] | undefined {
  const line = (cells: readonly Node[], around: ReadContext): StyledRun[] => [
    ...sign("| ", around),
    ...cells.flatMap((cell, index) => [
      ...(index > 0 ? sign(" | ", around) : []),
      ...inlines(cell.children, inside(around, { kind: "cell" })),
    ]),
    ...sign(" |", around),
  ];
  const head = [...line(header, context), ...sign(`\n| ${align.map(delimiter).join(" | ")} |`, context)];
  const body = inside(context, { kind: "table", head: joinRuns([...head, ...sign("\n", context)]) });
  const lines = rows.map((row) => line(row, body));
  if ([head, ...lines].some((runs) => rowUnits(runs) > MAX_ROW_UNITS)) return undefined;
  if (rows.length === 0) return head;
  return lines.flatMap((runs, index) => [...(index > 0 ? sign("\n", body) : []), ...runs]);
}

function delimiter(align: Alignment): string {
  return { left: ":--", right: "--:", center: ":-:", none: "---" }[align ?? "none"];
}

/** The length of a row, its addresses included. */
function rowUnits(runs: readonly StyledRun[]): number {
  const addresses = runs.flatMap(({ marks }) => marks.map((mark) => (mark.kind === "link" ? mark.href.length : 0)));
  return addresses.reduce((sum, length) => sum + length, plainText(runs).length);
}

/** The text of nodes without styles; addresses are written out. */
function bareText(nodes: readonly Node[], { shows }: ReadContext): string {
  return plainText(inlines(nodes, { marks: [], shows: { ...shows, canLink: () => false } }));
}

function inlines(nodes: readonly Node[], context: ReadContext): StyledRun[] {
  return nodes.flatMap((node) => inline(node, context));
}

function inline({ token, children }: Node, context: ReadContext): StyledRun[] {
  switch (token.type) {
    case "inline":
      return inlines(children, context);
    case "strong_open":
      return inlines(children, within(context, { kind: "bold" }));
    case "em_open":
      return inlines(children, within(context, { kind: "italic" }));
    case "s_open":
      return inlines(children, within(context, { kind: "strike" }));
    case "code_inline":
      return words(token.content, has(context, "link") ? context : inside(context, { kind: "code" }));
    case "softbreak":
    case "hardbreak":
      return words("\n", context);
    case "link_open":
    case "image":
      return link({ token, children }, context);
    default:
      return words(token.content, context);
  }
}

/** Links cannot nest: an image in a link is reduced to its description. */
function link({ token, children }: Node, context: ReadContext): StyledRun[] {
  const href = String(token.attrGet(token.type === "image" ? "src" : "href") ?? "");
  const label = bareText(children, context).trim();
  if (label === "") return words(href, context);
  if (token.markup === "autolink" || label === href || `mailto:${label}` === href) return words(label, context);
  if (has(context, "link")) return inlines(children, context);
  if (context.shows.canLink(href)) return inlines(children, inside(context, { kind: "link", href }));
  return [...inlines(children, context), ...words(` (${href})`, context)];
}
