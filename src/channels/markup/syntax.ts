import type { Mark } from "../styled-text.ts";

/** How a platform writes styled text. */
export interface Syntax {
  /** Whether quotes and code blocks are in tags, which may span lines; otherwise text is marked line by line. */
  inTags: boolean;
  /**
   * The signs around text with a mark; undefined if there are none. Line by line only words have signs, and a mark
   * without is left out.
   */
  signs(mark: Mark, text: string): Signs | undefined;
  /** What the signs of words need beside them. */
  signRule: SignRule;
  /** Whether words in the label of a link may have marks. */
  marksInLinks: boolean;
  /** What a heading begins with, where headings are shown. */
  heading(level: number): string;
  /** The first and the last line of a code block; absent if code is written without. */
  fence?(code: string, language: string | undefined): Signs;
  /** Escapes text of one line. */
  text(text: string, place: TextPlace): string;
  /** Escapes text of one line of code. */
  code(text: string, place: Pick<TextPlace, "inCell">): string;
  /** The beginning of a line in a quote; in tags, of a quote in a quote. */
  quote: string;
  /** Ends a line within a paragraph. */
  lineBreak: string;
  /** Whether lists are CommonMark's: code in an item is indented with it, and no part begins indented. */
  commonMarkLists: boolean;
  /** A pattern (`g`) of what would address many; a zero-width space is put behind each match. */
  massMention?: RegExp;
}

/** Signs around a text. */
export type Signs = readonly [open: string, close: string];

/** Where a text is. */
export interface TextPlace {
  /** Whether it begins a block, so that its first character may be read as the sign of one. */
  atBlockStart: boolean;
  inLink: boolean;
  inCell: boolean;
}

/**
 * What the signs of emphasis need beside them, so that the platform takes them for signs:
 *
 * - `words`: outside, a border of a word; a zero-width space makes one between Chinese characters.
 * - `flanking`: CommonMark's rule. A sign with punctuation inside of it and a letter outside is none; a word joiner
 *   inside, which counts as a letter, makes it one.
 */
export type SignRule = "none" | "words" | "flanking";
