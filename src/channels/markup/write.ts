import { isSpan, type Mark, type StyledRun } from "../styled-text.ts";
import { ZERO_WIDTH_SPACE } from "./invisible.ts";
import { linePieces } from "./line-pieces.ts";
import { SignWriter } from "./sign-writer.ts";
import type { Syntax } from "./syntax.ts";

/** Writes runs as one message. It is complete by itself: what is marked is opened and closed in it. */
export function writeRuns(runs: readonly StyledRun[], syntax: Syntax): string {
  const writer = new RunWriter(syntax, runs[0]?.marks ?? []);
  writer.write(runs);
  const written = writer.end();
  return syntax.massMention ? written.replace(syntax.massMention, `$&${ZERO_WIDTH_SPACE}`) : written;
}

/** A mark that is open, and what will close it: signs, or the last line of code. */
interface OpenMark {
  mark: Mark;
  closes?: "signs" | { fence: string };
}

class RunWriter {
  readonly #syntax: Syntax;
  readonly #signs: SignWriter;
  /** Items that began in an earlier part. */
  readonly #continued: ReadonlySet<Mark>;
  #open: OpenMark[] = [];
  #atLineStart = true;
  /** Whether only bullets and signs of quotes are before on this line. */
  #atBlockStart = true;

  constructor(syntax: Syntax, first: readonly Mark[]) {
    this.#syntax = syntax;
    this.#signs = new SignWriter(syntax.signRule);
    this.#continued = new Set(syntax.commonMarkLists ? first.filter(({ kind }) => kind === "item") : []);
  }

  write(runs: readonly StyledRun[]): void {
    for (const { text, marks } of this.#syntax.inTags ? runs : linePieces(runs, this.#syntax)) {
      let kept = 0;
      while (kept < marks.length && this.#open[kept]?.mark === marks[kept]) kept++;
      this.#closeDownTo(kept);
      for (const mark of marks.slice(kept)) this.#openMark(mark, text);
      this.#text(text, marks);
    }
  }

  end(): string {
    this.#closeDownTo(0);
    const written = this.#signs.end();
    return this.#syntax.inTags ? written : written.replace(/^\n+/, "").trimEnd();
  }

  #closeDownTo(kept: number): void {
    while (this.#open.length > kept) {
      const closes = this.#open.pop()?.closes;
      if (closes === "signs") this.#signs.close();
      else if (closes !== undefined) this.#putLine(closes.fence);
    }
  }

  #openMark(mark: Mark, text: string): void {
    const { signs, quote, heading, fence } = this.#syntax;
    const around = this.#syntax.inTags || isSpan(mark) ? signs(mark, text) : undefined;
    if (around !== undefined) {
      this.#startLine();
      this.#signs.open(around);
    } else if (mark.kind === "quote" && !this.#atLineStart) {
      this.#signs.put(quote);
    } else if (mark.kind === "heading") {
      this.#startLine();
      this.#signs.put(heading(mark.level));
    } else if (mark.kind === "table") {
      const depth = this.#open.length;
      this.write(mark.head);
      this.#closeDownTo(depth);
    } else if (mark.kind === "preformatted" && fence !== undefined) {
      const [first, last] = fence(text, mark.language);
      this.#putLine(first);
      this.#endLine("\n");
      this.#open.push({ mark, closes: { fence: last } });
      return;
    }
    this.#open.push(around === undefined ? { mark } : { mark, closes: "signs" });
  }

  #text(text: string, marks: readonly Mark[]): void {
    const has = (kind: Mark["kind"]) => marks.some((mark) => mark.kind === kind);
    const isCode = has("code") || has("preformatted");
    const isOurs = has("sign");
    const place = { atBlockStart: false, inLink: has("link"), inCell: has("cell") };
    for (let start = 0; start <= text.length; ) {
      if (start > 0) this.#endLine(isCode || isOurs || this.#atLineStart ? "\n" : this.#syntax.lineBreak);
      const end = text.indexOf("\n", start);
      const line = end === -1 ? text.slice(start) : text.slice(start, end);
      start = end === -1 ? text.length + 1 : end + 1;
      if (line === "") continue;
      this.#startLine();
      place.atBlockStart = this.#atBlockStart;
      if (isOurs) this.#signs.put(line);
      else this.#signs.put(isCode ? this.#syntax.code(line, place) : this.#syntax.text(line, place));
      this.#atBlockStart &&= isOurs || line.trim() === "";
    }
  }

  /** Puts a whole line, without its end. */
  #putLine(line: string): void {
    if (!this.#atLineStart) this.#endLine("\n");
    this.#startLine();
    this.#signs.put(line);
  }

  /** An empty line in a quote has the sign of the quote, so that the quote goes on. */
  #endLine(lineBreak: string): void {
    if (this.#atLineStart) this.#signs.put(this.#linePrefix().trimEnd());
    this.#signs.put(lineBreak);
    this.#atLineStart = true;
    this.#atBlockStart = true;
  }

  #startLine(): void {
    if (!this.#atLineStart) return;
    this.#atLineStart = false;
    this.#signs.put(this.#linePrefix());
  }

  /** The signs of quotes and the indentation of items, by the marks that are open. */
  #linePrefix(): string {
    const isCode = this.#open.some(({ mark }) => mark.kind === "preformatted");
    const indents = !isCode || this.#syntax.commonMarkLists;
    let prefix = "";
    for (const { mark, closes } of this.#open) {
      if (mark.kind === "quote" && closes === undefined && !(isCode && this.#syntax.inTags))
        prefix += this.#syntax.quote;
      if (mark.kind === "item" && indents && !this.#continued.has(mark)) prefix += " ".repeat(mark.indent);
    }
    return prefix;
  }
}
