import { isBlock } from "./block-elements.ts";
import type { Attributes } from "./hidden.ts";
import type { Visitor } from "./visible-html.ts";

/** The most text that is kept. */
const MAX_CHARS = 2_000_000;

/** What is no content by its name. */
const FRAME = new Set(["nav", "footer", "aside", "title", "script"]);

/** Takes the text of a page with its headings, list items and lines, but without links and without a tree. */
export class PlainText implements Visitor {
  readonly #parts: string[] = [];
  readonly #open: string[] = [];
  #frames = 0;
  #chars = 0;
  #title = "";

  page(): { title: string; text: string } {
    const text = this.#parts
      .join("")
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n\s*/g, "\n")
      .trim();
    return { title: this.#title.replace(/\s+/g, " ").trim(), text };
  }

  open(name: string, _: Attributes): void {
    this.#open.push(name);
    if (FRAME.has(name)) this.#frames++;
    if (this.#frames > 0 || !(isBlock(name) || name === "br")) return;
    const heading = /^h([1-6])$/.exec(name);
    const mark = heading !== null ? `${"#".repeat(Number(heading[1]))} ` : name === "li" ? "- " : "";
    this.#parts.push(`\n${mark}`);
  }

  close(): void {
    const name = this.#open.pop() ?? "";
    if (FRAME.has(name)) this.#frames--;
    else if (isBlock(name)) this.#parts.push("\n");
    else if (name === "td" || name === "th") this.#parts.push(" ");
  }

  text(text: string): void {
    if (this.#chars > MAX_CHARS) return;
    if (this.#frames === 0) {
      this.#chars += text.length;
      this.#parts.push(text.replace(/\s+/g, " "));
    } else if (this.#open.at(-1) === "title") this.#title += text;
  }
}
