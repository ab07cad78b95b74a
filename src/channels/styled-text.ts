/** How a stretch of text is meant to look, in no channel's terms. */
export type Mark =
  | { kind: "bold" }
  | { kind: "italic" }
  | { kind: "strike" }
  | { kind: "code" }
  | { kind: "quote" }
  | { kind: "preformatted"; language?: string }
  | { kind: "link"; href: string };

/**
 * Text that looks the same from its first to its last character; `marks` are its looks, the outermost first.
 *
 * Neighbours that hold the same mark object are inside the same bold word, quote or code block. A text cut in two is
 * therefore complete on both sides: each half opens and closes what it is inside of.
 */
export interface StyledRun {
  text: string;
  marks: readonly Mark[];
}

/** The bare text. */
export function plainText(runs: readonly StyledRun[]): string {
  return runs.map((run) => run.text).join("");
}

/** Whether there is anything to see. */
export function isVisible(runs: readonly StyledRun[]): boolean {
  return runs.some((run) => run.text.trim() !== "");
}

/** The same text in as few runs as there are: neighbours inside of the same marks become one, empty ones go. */
export function joinRuns(runs: readonly StyledRun[]): StyledRun[] {
  const joined: StyledRun[] = [];
  for (const { text, marks } of runs) {
    const last = joined.at(-1);
    if (last && sharedDepth(last.marks, marks) === Math.max(last.marks.length, marks.length)) last.text += text;
    else if (text !== "") joined.push({ text, marks });
  }
  return joined;
}

/** How many marks, from the outermost on, two places share. */
export function sharedDepth(left: readonly Mark[], right: readonly Mark[]): number {
  const differs = left.findIndex((mark, depth) => mark !== right[depth]);
  return differs === -1 ? left.length : differs;
}

/** The runs between two places of the bare text, counted in UTF-16 units; `to` is not part of it. */
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
