/** A text style, or the place of a text in its document, independent of the channel. */
export type Mark = ContainerMark | BlockMark | SpanMark | PieceMark;

/** Around whole blocks. `indent` is the width of an item's bullet; the bullet itself is outside of the mark. */
export type ContainerMark = { kind: "quote"; nested: boolean } | { kind: "item"; indent: number };

/** Around one block. `head` are the first two lines of a table, which every part of it begins with. */
export type BlockMark =
  | { kind: "heading"; level: number }
  | { kind: "preformatted"; language?: string }
  | { kind: "table"; head: readonly StyledRun[] };

/** Around words. */
export type SpanMark =
  | { kind: "bold" }
  | { kind: "italic" }
  | { kind: "strike" }
  | { kind: "code" }
  | { kind: "link"; href: string };

/** Whether a mark is around words. */
export function isSpan(mark: Mark): mark is SpanMark {
  return ["bold", "italic", "strike", "code", "link"].includes(mark.kind);
}

/** `sign`: a bullet, or a break between blocks, which is no text of the author's; `cell`: in a cell of a table. */
export type PieceMark = { kind: "sign" } | { kind: "cell" };

/**
 * Text with one style; `marks` are its styles, the outermost first.
 *
 * Neighbours that share the same mark object are inside the same bold word, quote or code block. A text cut in two is
 * therefore complete on both sides: each half opens and closes its own marks.
 */
export interface StyledRun {
  text: string;
  marks: readonly Mark[];
}

/** The plain text. */
export function plainText(runs: readonly StyledRun[]): string {
  return runs.map((run) => run.text).join("");
}

/** Anything but white space, control characters and characters without a shape of their own. */
const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Whether the runs contain visible text. */
export function isVisible(runs: readonly StyledRun[]): boolean {
  return runs.some((run) => VISIBLE.test(run.text));
}

/** Merges neighbours with the same marks and removes empty runs. */
export function joinRuns(runs: readonly StyledRun[]): StyledRun[] {
  const joined: StyledRun[] = [];
  for (const { text, marks } of runs) {
    const last = joined.at(-1);
    if (last && sharedDepth(last.marks, marks) === Math.max(last.marks.length, marks.length)) last.text += text;
    else if (text !== "") joined.push({ text, marks });
  }
  return joined;
}

/** How many outermost marks two runs share. */
export function sharedDepth(left: readonly Mark[], right: readonly Mark[]): number {
  const differs = left.findIndex((mark, depth) => mark !== right[depth]);
  return differs === -1 ? left.length : differs;
}

/** Runs that are read at offsets of their plain text, in UTF-16 units, each in logarithmic time. */
export class RunIndex {
  readonly text: string;
  readonly #runs: readonly StyledRun[];
  readonly #starts: number[] = [];

  constructor(runs: readonly StyledRun[]) {
    this.text = plainText(runs);
    this.#runs = runs;
    let offset = 0;
    for (const run of runs) {
      this.#starts.push(offset);
      offset += run.text.length;
    }
  }

  /** The run that contains the unit at an offset. */
  at(offset: number): StyledRun | undefined {
    return this.#runs[this.#indexAt(offset)];
  }

  /** The runs between two offsets, `to` excluded. */
  slice(from: number, to: number): StyledRun[] {
    const slice: StyledRun[] = [];
    for (let index = this.#indexAt(from); index < this.#runs.length; index++) {
      const [run, start] = [this.#runs[index], this.#starts[index]];
      if (run === undefined || start === undefined || start >= to) break;
      const text = run.text.slice(Math.max(0, from - start), to - start);
      if (text !== "") slice.push({ text, marks: run.marks });
    }
    return slice;
  }

  /** The last run that begins at or before an offset. */
  #indexAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
}
