import type { ParentNode } from "./html-tree.ts";

/** What a line begins with inside of a list item or quotation: its first line, and the others. */
interface Indent {
  first: string;
  rest: string;
}

/** Marks around text inside of a line. They are written with the text, so that empty ones leave nothing. */
interface Mark {
  open: string;
  close: string;
  /** `waiting` for text, `open`, or `done`. */
  state: "waiting" | "open" | "done";
  /** Whether it is opened again after a line has ended. */
  again: boolean;
}

/** The most characters that are collected: a short address in a page can be a long one for its readers. */
const MAX_CHARS = 3_000_000;

/** Collects Markdown: collapses blanks, and keeps lines and indents together. */
export class MarkdownWriter {
  readonly #parts: string[] = [];
  #chars = 0;
  readonly #indents: Indent[] = [];
  readonly #marks: Mark[] = [];
  /** Line ends before the next text, and whether a blank is. */
  #lines = 0;
  #blank = false;
  /** In a heading or a cell everything stays in one line. */
  #inLine = 0;
  /** The number of the next item of each numbered list. */
  readonly numbers = new Map<ParentNode, number>();

  #push(part: string): void {
    if (this.#chars > MAX_CHARS) return;
    this.#parts.push(part);
    this.#chars += part.length;
  }

  text(): string {
    return this.#parts.join("").trim();
  }

  write(raw: string): void {
    const text = raw.replace(/[\s\u00a0]+/g, " ");
    if (text === " " || text === "") {
      this.#blank ||= text !== "";
      return;
    }
    this.#blank ||= text.startsWith(" ");
    this.#put(text.trim());
    this.#blank = text.endsWith(" ");
  }

  /** Text whose blanks and lines stay as they are. */
  writeLines(text: string): void {
    for (const [i, line] of text.split("\n").entries()) {
      if (i > 0) this.#push(`\n${this.#restOfIndents()}`);
      if (i === 0) this.#put(line);
      else this.#push(line);
    }
    this.#blank = false;
  }

  #put(text: string): void {
    if (this.#lines > 0 || this.#parts.length === 0) {
      if (this.#parts.length > 0) this.#push("\n".repeat(this.#lines));
      this.#push(this.#beginLine());
    } else if (this.#blank) this.#push(" ");
    this.#lines = 0;
    this.#blank = false;
    for (const mark of this.#marks) {
      if (mark.state !== "waiting") continue;
      this.#push(mark.open);
      mark.state = "open";
    }
    this.#push(text);
  }

  #beginLine(): string {
    const line = this.#indents.map(({ first }) => first).join("");
    for (const indent of this.#indents) indent.first = indent.rest;
    return line;
  }

  #restOfIndents(): string {
    return this.#indents.map(({ rest }) => rest).join("");
  }

  /** Ends the line; with 2 a blank line follows. */
  endLine(lines: 1 | 2): void {
    if (this.#inLine > 0) {
      this.#blank = true;
      return;
    }
    for (const mark of this.#marks.toReversed()) {
      if (mark.state !== "open") continue;
      this.#push(mark.close);
      mark.state = mark.again ? "waiting" : "done";
    }
    const most = this.#indents.some(({ first, rest }) => first.trim() !== rest.trim() || rest.trim() === "") ? 1 : 2;
    this.#lines = Math.max(this.#lines, Math.min(lines, most));
    this.#blank = false;
  }

  indented(first: string, rest: string, writeInside: () => void): void {
    this.#indents.push({ first, rest });
    writeInside();
    this.#indents.pop();
  }

  marked(open: string, close: string, again: boolean, writeInside: () => void): void {
    const mark: Mark = { open, close, state: "waiting", again };
    this.#marks.push(mark);
    writeInside();
    this.#marks.pop();
    if (mark.state === "open") this.#push(close);
  }

  inOneLine(writeInside: () => void): void {
    this.#inLine++;
    writeInside();
    this.#inLine--;
  }
}
