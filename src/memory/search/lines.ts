import type { Clues, Counter } from "./count-clues.ts";
import type { Candidate } from "./hit.ts";
import { SNIPPET_SIZE, snippetSize } from "./snippet-size.ts";

/** A line of a file, or a part of one that is longer than a snippet may be. */
export interface Line extends Clues {
  /** The candidates that have it, the best by words first. */
  chunks: [Candidate, ...Candidate[]];
  number: number;
  text: string;
  /** How much of a snippet it takes. */
  size: number;
  isPart: boolean;
  /** What stands beside it in a candidate. */
  before?: Line;
  after?: Line;
}

/** Behind a sentence, else between words. */
const SENTENCE = /(?<=[.!?;]\s)|(?<=[。！？；])/u;
const SPACE = /(?<=\s)/u;
/** A long line is cut into parts of about a third of a snippet, so that the best of it can be put together. */
const PART_SIZE = SNIPPET_SIZE / 3;

/** The lines of candidates, each once, however many candidates share it. */
export function linesOf(candidates: readonly Candidate[], count: Counter): Line[] {
  const lines = new Map<string, Line>();
  for (const chunk of candidates) {
    let before: Line | undefined;
    for (const [at, text] of chunk.text.split("\n").entries()) {
      const number = chunk.startLine + at;
      const parts = snippetSize(text) > SNIPPET_SIZE ? partsOf(text) : [text];
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

function newLine(chunk: Candidate, number: number, text: string, isPart: boolean, count: Counter): Line {
  return { chunks: [chunk], number, text, size: snippetSize(text), isPart, ...count(text) };
}

function partsOf(text: string): string[] {
  return joined(
    text.split(SENTENCE).flatMap((sentence) => (snippetSize(sentence) > PART_SIZE ? sliced(sentence) : [sentence])),
  );
}

function sliced(sentence: string): string[] {
  return sentence
    .split(SPACE)
    .flatMap((word) => (snippetSize(word) > PART_SIZE ? (word.match(/.{1,100}/gsu) ?? []) : [word]));
}

/** Neighbours together, as long as they are no larger than a part. */
function joined(pieces: readonly string[]): string[] {
  const parts: string[] = [];
  let room = 0;
  for (const piece of pieces) {
    const size = snippetSize(piece);
    if (parts.length > 0 && size <= room) parts[parts.length - 1] += piece;
    else {
      parts.push(piece);
      room = PART_SIZE;
    }
    room -= size;
  }
  return parts;
}
