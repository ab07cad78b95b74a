import type { ClueCounter, ClueCounts } from "./clues.ts";
import type { Candidate } from "./query-index.ts";

/** Maximum characters of a snippet. */
export const SNIPPET_SIZE = 700;
/** East Asian characters carry more: this many fill a snippet. */
const WIDE_SNIPPET_CHARS = 330;
const WIDE = /[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uff60]/g;

/** The size of a text in a snippet. */
export function snippetSize(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return text.length + wide * (SNIPPET_SIZE / WIDE_SNIPPET_CHARS - 1);
}

/** A line of a file, or a part of a line that is longer than a snippet. */
export interface Line extends ClueCounts {
  /** The candidates that contain it, the best by words first. */
  chunks: [Candidate, ...Candidate[]];
  number: number;
  text: string;
  /** Its size in a snippet. */
  size: number;
  isPart: boolean;
  /** Its neighbours in a candidate. */
  before?: Line;
  after?: Line;
}

/** Long lines are cut after sentences, otherwise between words. */
const SENTENCE = /(?<=[.!?;]\s)|(?<=[。！？；])/u;
const SPACE = /(?<=\s)/u;
/** A third of a snippet, so that a snippet can combine the best parts of a long line. */
const PART_SIZE = SNIPPET_SIZE / 3;

/** The lines of candidates; a line shared by several candidates occurs once. */
export function candidateLines(candidates: readonly Candidate[], count: ClueCounter): Line[] {
  const lines = new Map<string, Line>();
  for (const chunk of candidates) {
    let before: Line | undefined;
    for (const [at, text] of chunk.text.split("\n").entries()) {
      const number = chunk.startLine + at;
      const parts = snippetSize(text) > SNIPPET_SIZE ? splitLine(text) : [text];
      for (const [part, piece] of parts.entries()) {
        const key = `${chunk.path}\n${number} ${part} ${piece}`;
        const known = lines.get(key);
        known?.chunks.push(chunk);
        const line = known ?? newLine(chunk, number, piece, parts.length > 1, count);
        lines.set(key, line);
        if (before !== undefined) {
          before.after = line;
          line.before = before;
        }
        before = line;
      }
    }
  }
  return [...lines.values()];
}

function newLine(chunk: Candidate, number: number, text: string, isPart: boolean, count: ClueCounter): Line {
  return { chunks: [chunk], number, text, size: snippetSize(text), isPart, ...count(text) };
}

function splitLine(text: string): string[] {
  return joinSmall(
    text
      .split(SENTENCE)
      .flatMap((sentence) => (snippetSize(sentence) > PART_SIZE ? splitSentence(sentence) : [sentence])),
  );
}

function splitSentence(sentence: string): string[] {
  return sentence
    .split(SPACE)
    .flatMap((word) => (snippetSize(word) > PART_SIZE ? (word.match(/.{1,100}/gsu) ?? []) : [word]));
}

/** Joins neighbours up to the size of a part. */
function joinSmall(pieces: readonly string[]): string[] {
  const parts: string[] = [];
  let free = 0;
  for (const piece of pieces) {
    const size = snippetSize(piece);
    if (parts.length > 0 && size <= free) parts[parts.length - 1] += piece;
    else {
      parts.push(piece);
      free = PART_SIZE;
    }
    free -= size;
  }
  return parts;
}
