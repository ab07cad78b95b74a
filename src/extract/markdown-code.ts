import { isBlock } from "./block-elements.ts";
import { type ElementNode, type ParentNode, TextNode } from "./html-tree.ts";
import type { MarkdownWriter } from "./markdown-writer.ts";

/** Writes a `pre` as a fenced block, with its language where a class names it. */
export function writeCode(element: ElementNode, writer: MarkdownWriter): void {
  const code = preformatted(element).replace(/^\n+/, "").trimEnd();
  if (code === "") return;
  const longest = (code.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = "`".repeat(longest + 1);
  writer.endLine(2);
  writer.writeLines(`${fence}${codeLanguage(element)}\n${code}\n${fence}`);
  writer.endLine(2);
}

/** The text of a `pre`, with line ends where elements begin lines of their own. */
function preformatted(parent: ParentNode): string {
  let text = "";
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node instanceof TextNode) text += node.data.replace(/\r\n?/g, "\n");
    else if (node.localName === "br") text += "\n";
    else {
      const inside = preformatted(node);
      const isLine = isBlock(node.localName) && text !== "" && !text.endsWith("\n");
      text += isLine ? `\n${inside}` : inside;
      if (isBlock(node.localName) && node.nextSibling !== null && !text.endsWith("\n")) text += "\n";
    }
  }
  return text;
}

function codeLanguage(element: ElementNode): string {
  const classes = [element, ...element.getElementsByTagName("code")].map(({ className }) => className).join(" ");
  return /\b(?:language|lang|highlight-source)-([\w+#-]+)/i.exec(classes)?.[1]?.toLowerCase() ?? "";
}
