import { isBlock } from "./block-elements.ts";
import { ElementNode, type ParentNode, TextNode } from "./html-tree.ts";
import { writeCode } from "./markdown-code.ts";
import { MarkdownWriter } from "./markdown-writer.ts";

/** A part of a page as Markdown, in one pass. What its text has of Markdown's marks is not escaped: models read it. */
export function toMarkdown(root: ParentNode, baseUrl: string): string {
  const writer = new MarkdownWriter();
  writeChildren(root, { writer, baseUrl });
  return writer.text();
}

/** Where an element is written. */
interface Target {
  writer: MarkdownWriter;
  /** Where relative links start from. */
  baseUrl: string;
}

type WriteElement = (element: ElementNode, target: Target) => void;

function writeChildren(parent: ParentNode, target: Target): void {
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node instanceof TextNode) target.writer.write(node.data);
    else (ELEMENTS.get(node.localName) ?? writeOther)(node, target);
  }
}

function writeOther(element: ElementNode, target: Target): void {
  if (!isBlock(element.localName)) writeChildren(element, target);
  else if (element.localName === "div") writeLines(element, target, 1);
  else writeLines(element, target, 2);
}

/** @param lines 2 for a blank line before and after */
function writeLines(element: ElementNode, target: Target, lines: 1 | 2): void {
  target.writer.endLine(lines);
  writeChildren(element, target);
  target.writer.endLine(lines);
}

const writeLine: WriteElement = (element, target) => writeLines(element, target, 1);

function writeMarked(mark: string): WriteElement {
  return (element, target) => target.writer.marked(mark, mark, true, () => writeChildren(element, target));
}

const writeCell: WriteElement = (element, target) => {
  target.writer.write(" ");
  writeChildren(element, target);
  target.writer.write(" ");
};

/** How elements are written whose marks Markdown has. */
const ELEMENTS = new Map<string, WriteElement>(
  Object.entries({
    ...{ h1: writeHeading, h2: writeHeading, h3: writeHeading, h4: writeHeading, h5: writeHeading, h6: writeHeading },
    ...{ b: writeMarked("**"), strong: writeMarked("**"), em: writeMarked("*"), i: writeMarked("*") },
    ...{ code: writeMarked("`"), dd: writeLine, dt: writeLine, tr: writeLine, summary: writeLine },
    ...{ td: writeCell, th: writeCell, img: writeImage, math: writeFormula, a: writeLink, li: writeItem },
    br: (_, { writer }) => writer.endLine(1),
    hr(_, { writer }) {
      writer.endLine(2);
      writer.write("---");
      writer.endLine(2);
    },
    pre: (element, { writer }) => writeCode(element, writer),
    blockquote(element, target) {
      target.writer.endLine(2);
      target.writer.indented("> ", "> ", () => writeChildren(element, target));
      target.writer.endLine(2);
    },
    table: (element, target) => (isDataTable(element) ? writeTable(element, target) : writeLines(element, target, 2)),
  }),
);

function writeHeading(element: ElementNode, target: Target): void {
  const { writer } = target;
  const mark = `${"#".repeat(Number(element.localName.charAt(1)))} `;
  writer.endLine(2);
  writer.indented(mark, "", () => writer.inOneLine(() => writeChildren(element, target)));
  writer.endLine(2);
}

function writeItem(item: ElementNode, target: Target): void {
  target.writer.endLine(1);
  target.writer.indented(listMarker(item, target.writer.numbers), "  ", () => writeChildren(item, target));
  target.writer.endLine(1);
}

/** The next marker of an item's list. */
function listMarker(item: ElementNode, numbers: Map<ParentNode, number>): string {
  const list = item.parentNode;
  if (!(list instanceof ElementNode) || list.localName !== "ol") return "- ";
  const start = Number.parseInt(list.getAttribute("start") ?? "1", 10);
  const number = numbers.get(list) ?? (Number.isNaN(start) ? 1 : start);
  numbers.set(list, number + 1);
  return `${number}. `;
}

function writeImage(element: ElementNode, { writer, baseUrl }: Target): void {
  const alt = (element.getAttribute("alt") ?? "").replace(/[\s[\]]+/g, " ").trim();
  const address = absolute(element.getAttribute("src") ?? "", baseUrl);
  if (alt !== "" && address !== undefined) writer.write(`![${alt}](${address})`);
}

/** The source of a formula, where the page gives it. */
function writeFormula(element: ElementNode, target: Target): void {
  const source = element.getAttribute("alttext");
  if (source === null) writeChildren(element, target);
  else target.writer.write(`$${source}$`);
}

function writeLink(element: ElementNode, target: Target): void {
  const href = element.getAttribute("href") ?? "";
  const address = href.startsWith("#") ? undefined : absolute(href, target.baseUrl);
  const inside = () => writeChildren(element, target);
  if (address === undefined) inside();
  else target.writer.marked("[", `](${address})`, false, inside);
}

/** The whole address of a link for a reader; undefined for scripts and for data. */
function absolute(href: string, baseUrl: string): string | undefined {
  const url = URL.parse(href.trim(), baseUrl);
  if (href === "" || url === null || !/^(?:https?|mailto|tel):$/.test(url.protocol)) return undefined;
  return url.href.replace(/[()\s]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

/** The longest cell of a table without headers that holds data, in characters. */
const MAX_CELL_CHARS = 400;

/** Whether a table has data in rows and columns, and is no layout of the page. */
function isDataTable(table: ElementNode): boolean {
  if (table.getAttribute("role") === "presentation" || table.getElementsByTagName("table").length > 0) return false;
  const rows = rowsOf(table);
  if (Math.max(0, ...rows.map(({ length }) => length)) < 2) return false;
  if (table.getElementsByTagName("th").length > 0) return true;
  return rows.length > 1 && rows.flat().every(({ textContent }) => textContent.trim().length < MAX_CELL_CHARS);
}

function rowsOf(table: ElementNode): ElementNode[][] {
  return table
    .getElementsByTagName("tr")
    .map(({ children }) => children.filter(({ localName }) => localName === "td" || localName === "th"))
    .filter(({ length }) => length > 0);
}

function writeTable(table: ElementNode, target: Target): void {
  const { writer, baseUrl } = target;
  writer.endLine(2);
  for (const caption of table.getElementsByTagName("caption")) {
    writeChildren(caption, target);
    writer.endLine(2);
  }
  for (const [i, cells] of rowsOf(table).entries()) {
    const texts = cells.map((cell) => cellText(cell, baseUrl).replaceAll("|", "\\|"));
    writer.write(`| ${texts.join(" | ")} |`);
    writer.endLine(1);
    if (i === 0) writer.write(`|${" --- |".repeat(cells.length)}`);
    writer.endLine(1);
  }
  writer.endLine(2);
}

function cellText(cell: ElementNode, baseUrl: string): string {
  const writer = new MarkdownWriter();
  writer.inOneLine(() => writeChildren(cell, { writer, baseUrl }));
  return writer.text();
}
