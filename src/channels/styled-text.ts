/** A text style, independent of the channel. */
export type Mark =
  | { kind: "bold" }
  | { kind: "italic" }
  | { kind: "strike" }
  | { kind: "code" }
  | { kind: "quote" }
  | { kind: "preformatted"; language?: string }
  | { kind: "link"; href: string };

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

/** Whether the runs contain visible text. */
export function isVisible(runs: readonly StyledRun[]): boolean {
  return runs.some((run) => run.text.trim() !== "");
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

/** The runs between two offsets of the plain text in UTF-16 units, `to` excluded. */
export function sliceRuns(runs: readonly StyledRun[], from: number, to: number): StyledRun[] {
  const slice: StyledRun[] = [];
  let offset = 0;
  for (const run of runs) {
    if (offset >= to) break;
    const text = run.text.slice(Math.max(0, from - offset), to - offset);
    if (text !== "" && offset + run.text.length > from) slice.push({ text, marks: run.marks });
    offset += run.text.length;
  }
  return slice;
}
