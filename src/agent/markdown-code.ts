/** An open fenced code block, as defined by CommonMark (spec 0.31.2, section 4.5). */
export interface Fence {
  /** White space and quote markers before it, also on the lines inside. */
  indent: string;
  /** The backticks or tildes. */
  marks: string;
  /** The info string: the language. */
  info: string;
}

/** Any indentation is accepted: list items are indented, and how far depends on the lines before. */
const FENCE = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})([^\n]*)$/;

/** The fence that is open after a line, given the one open before it. The line has no line break. */
export function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  // Fast path: most lines have no fence, and streaming checks each line many times.
  if (!line.includes("```") && !line.includes("~~~")) return open && endsQuote(line, open) ? undefined : open;
  const [, before = "", marks = "", rest = ""] = FENCE.exec(line.replace(/\r$/, "")) ?? [];
  if (open === undefined) {
    const isInline = marks === "" || (marks.startsWith("`") && rest.includes("`"));
    return isInline ? undefined : { indent: before.replace(/[^\s>]/g, " "), marks, info: rest };
  }
  if (endsQuote(line, open)) return fenceAfter(line, undefined);
  return isClosing(marks, rest, open) ? undefined : open;
}

/** Whether a line closes an open fence. */
export function closesFence(line: string, open: Fence): boolean {
  const [, , marks = "", rest = ""] = FENCE.exec(line.replace(/\r$/, "")) ?? [];
  return !endsQuote(line, open) && isClosing(marks, rest, open);
}

function isClosing(marks: string, rest: string, open: Fence): boolean {
  return marks.startsWith(open.marks) && rest.trim() === "";
}

/** A fence inside a quote ends with the quote. */
function endsQuote(line: string, open: Fence): boolean {
  return open.indent.includes(">") && !/^\s*>/.test(line);
}

/** The most units of a line that are examined for a fence. */
const FENCE_UNITS = 256;

/** Tracks whether the next character of a streamed text is inside code, where tags are plain text. */
export class CodeTracker {
  /** The start of the current line, the backticks in it, and the fence that was open before it. */
  #line = "";
  #ticks = 0;
  #fence: Fence | undefined;
  #isBlank = true;

  /** Adds text. */
  note(text: string): void {
    const [first = "", ...others] = text.split("\n");
    this.#add(first);
    for (const next of others) {
      this.#fence = fenceAfter(this.#line, this.#fence);
      [this.#line, this.#ticks, this.#isBlank] = ["", 0, true];
      this.#add(next);
    }
  }

  /** Whether code is open: a fence, or backticks in the current line. */
  get isInCode(): boolean {
    return this.isFenced || this.#ticks % 2 === 1;
  }

  /** Whether a fence is open. */
  get isFenced(): boolean {
    return fenceAfter(this.#line, this.#fence) !== undefined;
  }

  /** Whether the current line is blank so far. */
  get isLineBlank(): boolean {
    return this.#isBlank;
  }

  #add(text: string): void {
    if (this.#line.length < FENCE_UNITS) this.#line += text.slice(0, FENCE_UNITS);
    this.#ticks += text.split("`").length - 1;
    this.#isBlank &&= text.trim() === "";
  }
}
