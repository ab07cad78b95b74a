/** A fenced block of code that is open, as CommonMark has it (spec 0.31.2, section 4.5). */
export interface Fence {
  /** White space and signs of a quote before it, as on the lines within. */
  indent: string;
  /** Its backticks or tildes. */
  marks: string;
  /** What stands behind them: the language. */
  info: string;
}

/** Any indentation will do: a list's items are indented, and how far depends on what came before. */
const FENCE = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})([^\n]*)$/;

/** The fence that is open after a line, given the one that was open before it. The line comes without its end. */
export function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  // Most lines have none, and each is looked at again and again while a text is being written.
  if (!line.includes("```") && !line.includes("~~~")) return open && endsQuote(line, open) ? undefined : open;
  const [, before = "", marks = "", rest = ""] = FENCE.exec(line.replace(/\r$/, "")) ?? [];
  if (open === undefined) {
    const isInline = marks === "" || (marks.startsWith("`") && rest.includes("`"));
    return isInline ? undefined : { indent: before.replace(/[^\s>]/g, " "), marks, info: rest };
  }
  if (endsQuote(line, open)) return fenceAfter(line, undefined);
  return isClosing(marks, rest, open) ? undefined : open;
}

/** Whether a line is the end of an open fence, with nothing in it but its marks. */
export function closesFence(line: string, open: Fence): boolean {
  const [, , marks = "", rest = ""] = FENCE.exec(line.replace(/\r$/, "")) ?? [];
  return !endsQuote(line, open) && isClosing(marks, rest, open);
}

function isClosing(marks: string, rest: string, open: Fence): boolean {
  return marks.startsWith(open.marks) && rest.trim() === "";
}

/** A fence in a quote ends with the quote. */
function endsQuote(line: string, open: Fence): boolean {
  return open.indent.includes(">") && !/^\s*>/.test(line);
}

/** Units of a line in which a fence shows, with its language. */
const FENCE_UNITS = 256;

/** Knows of a text that comes piece by piece whether what comes next is code, where a tag is a text like any other. */
export class CodeTracker {
  /** How the line at hand begins, how many backticks are in it, and the fence that was open before it. */
  #line = "";
  #ticks = 0;
  #fence: Fence | undefined;
  #isBlank = true;

  /** Takes note of what came. */
  note(text: string): void {
    const [first = "", ...others] = text.split("\n");
    this.#add(first);
    for (const next of others) {
      this.#fence = fenceAfter(this.#line, this.#fence);
      [this.#line, this.#ticks, this.#isBlank] = ["", 0, true];
      this.#add(next);
    }
  }

  /** Whether code is open: a fence, or backticks in the line at hand. */
  get isInCode(): boolean {
    return this.isFenced || this.#ticks % 2 === 1;
  }

  /** Whether a fence is open. */
  get isFenced(): boolean {
    return fenceAfter(this.#line, this.#fence) !== undefined;
  }

  /** Whether there is nothing but white space in the line at hand. */
  get isLineBlank(): boolean {
    return this.#isBlank;
  }

  #add(text: string): void {
    if (this.#line.length < FENCE_UNITS) this.#line += text.slice(0, FENCE_UNITS);
    this.#ticks += text.split("`").length - 1;
    this.#isBlank &&= text.trim() === "";
  }
}
