import { type Fence, fenceAfter } from "./markdown-code.ts";

/**
 * Kinds of places to cut a text, best first: after a blank line, a line, a sentence, a word; after a word inside a
 * link, inline code or bold text, which the cut breaks; after a line of fenced code.
 */
export const BORDER_KINDS = ["paragraph", "line", "sentence", "word", "within", "code"] as const;

/** A place where a text may be cut. */
export interface Border {
  at: number;
  kind: (typeof BORDER_KINDS)[number];
  /** The fence that is open there. */
  inside: Fence | undefined;
}

/** A line of a text and its offset. The text includes the line break; the last line may have none. */
interface BlockLine {
  start: number;
  text: string;
  before: Fence | undefined;
  after: Fence | undefined;
}

/** The places where a text may be cut, in order. The text that follows is unknown. */
export function bordersIn(text: string, open: Fence | undefined): Border[] {
  let hasWords = false;
  return splitLines(text, open).flatMap((line) => {
    const isBlank = line.text.trim() === "";
    const ends = hasWords || !isBlank ? lineEnd(line, isBlank) : [];
    hasWords ||= !isBlank;
    return isBlank ? ends : [...bordersWithin(line), ...ends];
  });
}

/** The fence that is open at an offset, and the offset of the line there that opens or closes one. */
export function fenceAt(
  text: string,
  at: number,
  open: Fence | undefined,
): { inside: Fence | undefined; mark?: number } {
  const line = splitLines(text, open).findLast(({ start }) => start < at);
  if (line === undefined) return { inside: open };
  return { inside: line.before, ...(line.before !== line.after && { mark: line.start }) };
}

function splitLines(text: string, open: Fence | undefined): BlockLine[] {
  const lines: BlockLine[] = [];
  let before = open;
  for (const { index: start, 0: line } of text.matchAll(/[^\n]*\n|[^\n]+$/g)) {
    const after = fenceAfter(line.replace(/\n$/, ""), before);
    lines.push({ start, text: line, before, after });
    before = after;
  }
  return lines;
}

/** A blank line is a border of its own; a line that opens a fence stays with the code below it. */
function lineEnd({ start, text, before, after }: BlockLine, isBlank: boolean): Border[] {
  if (!text.endsWith("\n") || (before === undefined && after !== undefined)) return [];
  const at = start + text.length;
  if (after !== undefined) return [{ at, kind: "code", inside: after }];
  return [{ at, kind: isBlank ? "paragraph" : "line", inside: undefined }];
}

/** Ends of sentences, except the dot of a numbered item; Chinese and Japanese ends need no space after them. */
const SENTENCE =
  /(?<!^[ \t>]*\d{1,3})[.!?…]["'”’»)\]*_]*[ \t]+|(?:[。！？；…]+|[!?]+(?=[」』）】〉》]))[”’」』）】〉》*_]*[ \t]*/g;
const WORD = /[ \t]+|[，、：]/g;
/** Markup that a cut would break; its end may not have arrived yet. */
const WHOLE = /`[^`\n]+(?:`|$)|\*\*[^*\n]+(?:\*\*|$)|\[[^\]\n]*(?:\]\([^)\n]*(?:\)|$)|$)/g;
/** A line that may become a fence when more of it arrives. */
const BEGINS_FENCE = /^[\s>]*(?:[-*+\d.)]+[ \t]+)?[`~]/;

function bordersWithin({ start, text, before, after }: BlockLine): Border[] {
  const mayOpen = !text.endsWith("\n") && BEGINS_FENCE.test(text);
  if (before !== undefined || after !== undefined || mayOpen) return [];
  const line = text.trimEnd();
  const wholes = Array.from(line.matchAll(WHOLE), (match) => [match.index, match.index + match[0].length] as const);
  const isWithin = (at: number) => wholes.some(([from, to]) => at > from && at < to);
  const ends = (pattern: RegExp, kind: Border["kind"]) =>
    Array.from(line.matchAll(pattern), (match) => match.index + match[0].length)
      // At the beginning of a block these would open a fence.
      .filter((at) => !/^(?:``|~~)/.test(line.slice(at)))
      .map((at): Border => ({ at: start + at, kind: isWithin(at) ? "within" : kind, inside: undefined }));
  return [...ends(SENTENCE, "sentence"), ...ends(WORD, "word")].sort((a, b) => a.at - b.at);
}
