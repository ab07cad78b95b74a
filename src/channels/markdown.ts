import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { isVisible, joinRuns, type Mark, plainText, type StyledRun } from "./styled-text.ts";

/**
 * Longest Markdown that is parsed, in UTF-16 units; the parser's time is quadratic for some inputs, so a longer text is
 * not formatted.
 */
const MAX_MARKDOWN_UNITS = 50_000;

/** Shown for a horizontal rule. */
const RULE = "———";

/**
 * Parses GitHub Markdown into styled text, for platforms with bold text, links and code but without headings, lists or
 * tables: those become bold lines, bullets and drawn columns. A line break is kept. HTML is text. Never throws:
 * unparsable text, or text that would render to nothing, stays as written.
 * @param canLink whether the platform links to this address; other addresses are written out
 */
export function readMarkdown(markdown: string, canLink: (href: string) => boolean): StyledRun[] {
  const asWritten = [{ text: markdown, marks: [] }];
  if (markdown.length > MAX_MARKDOWN_UNITS) return asWritten;
  try {
    const tokens = new Lexer({ gfm: true }).lex(markdown);
    const runs = joinRuns(blocks(tokens, { marks: [], indent: "", canLink }, BLANK_LINE));
    return isVisible(runs) ? runs : asWritten;
  } catch (error) {
    // Nested deeper than the call stack allows.
    if (error instanceof RangeError) return asWritten;
    throw error;
  }
}

/** The context of a token. */
interface RenderContext {
  /** The enclosing marks, the outermost first. */
  marks: readonly Mark[];
  /** The prefix of every line after the first. */
  indent: string;
  canLink(href: string): boolean;
}

const BLANK_LINE = "\n\n";

function words(text: string, context: RenderContext): StyledRun[] {
  return [{ text, marks: context.marks }];
}

function lines(text: string, context: RenderContext): StyledRun[] {
  return words(indented(text, context), context);
}

/** Blank lines are not indented. */
function indented(text: string, context: RenderContext): string {
  return text.replace(/\n(?!\n)/g, `\n${context.indent}`);
}

/** Adds a mark; one that is already there is not repeated. */
function within(context: RenderContext, mark: Mark): RenderContext {
  return has(context, mark.kind) ? context : { ...context, marks: [...context.marks, mark] };
}

function has(context: RenderContext, kind: Mark["kind"]): boolean {
  return context.marks.some((mark) => mark.kind === kind);
}

function blocks(tokens: readonly Token[], context: RenderContext, gap: string): StyledRun[] {
  const shown = tokens.filter((token) => token.type !== "space" && token.type !== "def");
  return shown.flatMap((token, index) => {
    const follows = index > 0 && shown[index - 1]?.type !== "checkbox";
    return [...(follows ? lines(gap, context) : []), ...block(token, context)];
  });
}

function block(token: Token, context: RenderContext): StyledRun[] {
  if (!isKnown(token)) return lines(token.raw, context);
  switch (token.type) {
    case "heading":
      return inline(token.tokens, within(context, { kind: "bold" }));
    case "paragraph":
      return inline(token.tokens, context);
    case "code":
      return codeBlock(token, context);
    case "blockquote":
      return quote(token, context);
    case "list":
      return list(token, context);
    case "table":
      return table(token, context);
    case "hr":
      return words(RULE, context);
    case "html":
      return lines(token.raw.trimEnd(), context);
    default:
      return inlineToken(token, context);
  }
}

function codeBlock(token: Tokens.Code, context: RenderContext): StyledRun[] {
  const language = token.lang?.match(/^[\w+#.-]{1,40}/)?.[0];
  const mark: Mark = language === undefined ? { kind: "preformatted" } : { kind: "preformatted", language };
  return words(token.text.replace(/\n+$/, ""), within(context, mark));
}

/** A nested quote keeps its `>`, since no platform nests quotes. */
function quote(token: Tokens.Blockquote, context: RenderContext): StyledRun[] {
  if (!has(context, "quote")) return blocks(token.tokens, within(context, { kind: "quote" }), BLANK_LINE);
  const nested = { ...context, indent: `${context.indent}> ` };
  return [...words("> ", context), ...blocks(token.tokens, nested, BLANK_LINE)];
}

function list(token: Tokens.List, context: RenderContext): StyledRun[] {
  const gap = token.loose ? BLANK_LINE : "\n";
  return token.items.flatMap((item, index) => {
    const bullet = token.ordered ? `${Number(token.start) + index}. ` : "• ";
    const inItem = { ...context, indent: context.indent + " ".repeat(bullet.length) };
    const lead = (index > 0 ? indented(gap, context) : "") + (item.task ? "" : bullet);
    return [...words(lead, context), ...blocks(item.tokens, inItem, gap)];
  });
}

function table(token: Tokens.Table, context: RenderContext): StyledRun[] {
  const rows = [token.header, ...token.rows].map((row) => row.map((cell) => bareText(cell.tokens)));
  return words(drawTable(rows, token.align), within(context, { kind: "preformatted" }));
}

/** The text of tokens without styles; addresses are written out. */
function bareText(tokens: readonly Token[]): string {
  return plainText(inline(tokens, { marks: [], indent: "", canLink: () => false }));
}

function inline(tokens: readonly Token[], context: RenderContext): StyledRun[] {
  return tokens.flatMap((token) => inlineToken(token, context));
}

function inlineToken(token: Token, context: RenderContext): StyledRun[] {
  if (!isKnown(token)) return lines(token.raw, context);
  switch (token.type) {
    case "text":
      return token.tokens ? inline(token.tokens, context) : lines(decodeReferences(token.text), context);
    case "escape":
      return words(token.text, context);
    case "strong":
      return inline(token.tokens, within(context, { kind: "bold" }));
    case "em":
      return inline(token.tokens, within(context, { kind: "italic" }));
    case "del":
      return inline(token.tokens, within(context, { kind: "strike" }));
    case "codespan":
      return words(token.text, has(context, "link") ? context : within(context, { kind: "code" }));
    case "br":
      return lines("\n", context);
    case "checkbox":
      return words(token.checked ? "☑ " : "☐ ", context);
    case "link":
    case "image":
      return link(token, context);
    default:
      return lines(token.raw, context);
  }
}

/** Links cannot nest: an image in a link is reduced to its description. */
function link(token: Tokens.Link | Tokens.Image, context: RenderContext): StyledRun[] {
  if (token.type === "link" && token.autolink) return words(token.text, context);
  const href = decodeReferences(token.href);
  const label = bareText(token.tokens).trim();
  if (label === "") return words(href, context);
  if (label === href || `mailto:${label}` === href) return words(label, context);
  if (has(context, "link")) return inline(token.tokens, context);
  if (context.canLink(href)) return inline(token.tokens, within(context, { kind: "link", href }));
  return [...inline(token.tokens, context), ...words(` (${href})`, context)];
}

/** The parser's token types without extensions. */
const KINDS: Record<MarkedToken["type"], true> = {
  blockquote: true,
  br: true,
  checkbox: true,
  code: true,
  codespan: true,
  def: true,
  del: true,
  em: true,
  escape: true,
  heading: true,
  hr: true,
  html: true,
  image: true,
  link: true,
  list: true,
  list_item: true,
  paragraph: true,
  space: true,
  strong: true,
  table: true,
  text: true,
};

function isKnown(token: Token): token is MarkedToken {
  return Object.hasOwn(KINDS, token.type);
}

/** The alignment of a column. */
export type Alignment = "left" | "center" | "right" | null;

/** Draws a table, header first, for a fixed-width font; wide characters (Chinese, emoji) count as two columns. */
function drawTable(rows: readonly (readonly string[])[], align: readonly Alignment[]): string {
  const widths = align.map((_, column) => Math.max(1, ...rows.map((row) => width(row[column] ?? ""))));
  const line = (row: readonly string[]) =>
    widths
      .map((space, column) => pad(row[column] ?? "", space, align[column] ?? null))
      .join(" | ")
      .trimEnd();
  const [header = [], ...body] = rows.map((row) => row.map((cell) => cell.replaceAll("\n", " ")));
  return [line(header), widths.map((space) => "-".repeat(space)).join("-+-"), ...body.map(line)].join("\n");
}

function pad(text: string, space: number, align: Alignment): string {
  const free = space - width(text);
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  return " ".repeat(before) + text + " ".repeat(free - before);
}

const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff01-\uff60]/u;
const NARROW = /\p{Mark}|\p{Cf}/u;

function width(text: string): number {
  let columns = 0;
  for (const character of text) columns += NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}

/** The named references that occur in Markdown; others stay as written. */
const NAMED = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
  ["copy", "©"],
  ["ndash", "–"],
  ["mdash", "—"],
  ["hellip", "…"],
  ["rarr", "→"],
]);

/** Decodes character references (`&amp;`, `&#8212;`, `&#x2014;`). */
function decodeReferences(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED.get(name) ?? whole;
    return codePointCharacter(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)) ?? whole;
  });
}

function codePointCharacter(codePoint: number): string | undefined {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return codePoint === 0 || codePoint > 0x10ffff || isSurrogate ? undefined : String.fromCodePoint(codePoint);
}
