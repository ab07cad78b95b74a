import { isSpan, type Mark, type StyledRun, sharedDepth } from "../styled-text.ts";
import type { Syntax } from "./syntax.ts";

/**
 * Cuts runs where a platform that marks text line by line needs it: no mark of words contains a break or has white space
 * at its edges, and those that the platform does not show are left out.
 */
export function linePieces(runs: readonly StyledRun[], syntax: Syntax): StyledRun[] {
  const pieces = runs.flatMap((run) => cutRun({ text: run.text, marks: shownMarks(run, syntax) }));
  return withoutMarkedEdges(pieces);
}

function shownMarks({ text, marks }: StyledRun, syntax: Syntax): readonly Mark[] {
  const link = syntax.marksInLinks ? -1 : marks.findIndex(({ kind }) => kind === "link");
  return marks.filter((mark, depth) => {
    if (!isSpan(mark)) return true;
    return (link === -1 || depth <= link) && syntax.signs(mark, text) !== undefined;
  });
}

/** Breaks, words, and the white space between them and the edges of the run. */
function cutRun({ text, marks }: StyledRun): StyledRun[] {
  if (!marks.some(isSpan)) return [{ text, marks }];
  const pieces: StyledRun[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (index > 0) pieces.push({ text: "\n", marks: marks.filter((mark) => !isSpan(mark)) });
    const [start, end] = [line.length - line.trimStart().length, line.trimEnd().length];
    const cuts = start < end ? [line.slice(0, start), line.slice(start, end), line.slice(end)] : [line];
    for (const piece of cuts) if (piece !== "") pieces.push({ text: piece, marks });
  }
  return pieces;
}

/** White space has the marks that both its neighbours share. */
function withoutMarkedEdges(pieces: readonly StyledRun[]): StyledRun[] {
  const trimmed = [...pieces];
  let next: readonly Mark[] = [];
  for (const [index, piece] of [...trimmed.entries()].reverse()) {
    if (isMarkedSpace(piece)) trimmed[index] = { text: piece.text, marks: sharedSpans(piece.marks, next) };
    else next = piece.marks;
  }
  let before: readonly Mark[] = [];
  for (const [index, piece] of trimmed.entries()) {
    if (isMarkedSpace(piece)) trimmed[index] = { text: piece.text, marks: sharedSpans(piece.marks, before) };
    else before = piece.marks;
  }
  return trimmed;
}

function isMarkedSpace({ text, marks }: StyledRun): boolean {
  return text.trim() === "" && marks.some(isSpan);
}

/** The marks without those of words that the others do not share. */
function sharedSpans(marks: readonly Mark[], others: readonly Mark[]): readonly Mark[] {
  return marks.slice(0, Math.max(sharedDepth(marks, others), marks.findIndex(isSpan)));
}
