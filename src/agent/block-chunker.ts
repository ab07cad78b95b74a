import { betweenCharacters } from "../lib/text.ts";
import { BORDER_KINDS, bordersIn, fenceAt } from "./block-borders.ts";
import { closesFence, type Fence, fenceAfter } from "./markdown-code.ts";

/** The size of blocks, in UTF-16 units. */
export interface BlockSize {
  /** The least size of a block that is not the last. */
  minChars: number;
  /** The largest size of a block, including added fences. */
  maxChars: number;
  /** Blocks after the first `after` are as large as `maxChars` here, so that a long text has few of them. */
  widens?: { after: number; maxChars: number };
}

/** A part of a text that can be sent as a message. */
export interface Block {
  /** The text to send, trimmed; code that was cut is fenced at both ends. */
  text: string;
  /** The text as written: the sources of all blocks joined are the whole text. */
  source: string;
}

/** Cuts a text into blocks while it streams. How the text is split into deltas does not change the blocks. */
export interface BlockChunker {
  /** Adds text and returns the blocks that are complete. */
  push(delta: string): Block[];
  /** Returns the rest at the end of the text, and resets for another text. */
  end(): Block[];
}

/** Units that must follow a cut, so that no character is split. */
const LOOKAHEAD = 2;
/** The least share of a widened block that is filled. */
const WIDE_SHARE = 0.75;
/** The largest share of a block that a reopened fence with its language may take. */
const OPENING_SHARE = 0.25;

/**
 * A block ends at the first blank line past `minChars`; if there is none up to `maxChars`, at the last end of a line, a
 * sentence or a word there, in this order; else between two grapheme clusters. Fenced code is cut last: the fence is
 * closed and opened again in the next block.
 */
export function createBlockChunker(size: BlockSize): BlockChunker {
  let { minChars, maxChars } = size;
  let left = size.widens?.after ?? Number.POSITIVE_INFINITY;
  let buffer = "";
  let open: Fence | undefined;

  /** The largest source of the next block, in units. */
  function mostSource(): number {
    return Math.max(1, maxChars - openingLine(open, maxChars).length);
  }

  function next(isEnd: boolean): Block | undefined {
    const most = mostSource();
    const isFull = buffer.length >= most + (isEnd ? 1 : LOOKAHEAD);
    // Later text must not change the cut, or the blocks would depend on how the deltas arrive.
    const cut = cutIn(buffer.slice(0, most + LOOKAHEAD), open, { least: Math.min(minChars, most), most, isFull });
    if (cut === undefined) return undefined;
    const block = blockOf(buffer.slice(0, cut.at), cut.inside);
    buffer = buffer.slice(cut.at);
    open = cut.inside;
    left -= 1;
    if (left === 0 && size.widens !== undefined) {
      maxChars = Math.max(maxChars, size.widens.maxChars);
      minChars = Math.max(minChars, Math.round(maxChars * WIDE_SHARE));
    }
    return block;
  }

  function blockOf(source: string, inside: Fence | undefined): Block {
    return { text: closed(opened(source, open, maxChars), inside, inside === open), source };
  }

  function takeAll(isEnd: boolean): Block[] {
    const blocks: Block[] = [];
    for (let block = next(isEnd); block !== undefined; block = next(isEnd)) blocks.push(block);
    return blocks;
  }

  return {
    push(delta) {
      buffer += delta;
      if (buffer.length < Math.min(minChars, mostSource())) return [];
      // A block that is not full can only end at a line break.
      return delta.includes("\n") || buffer.length >= mostSource() + LOOKAHEAD ? takeAll(false) : [];
    },
    end() {
      const blocks = takeAll(true);
      if (buffer !== "") blocks.push(blockOf(buffer, undefined));
      buffer = "";
      open = undefined;
      return blocks;
    },
  };
}

interface Window {
  /** The fewest and the most units before the cut. */
  least: number;
  most: number;
  /** Whether the buffer must be cut now. */
  isFull: boolean;
}

interface Cut {
  at: number;
  inside: Fence | undefined;
}

function cutIn(text: string, open: Fence | undefined, { least, most, isFull }: Window): Cut | undefined {
  const fitting = bordersIn(text, open).filter(({ at, inside }) => at >= least && at + closingLength(inside) <= most);
  const paragraph = fitting.find(({ kind }) => kind === "paragraph");
  if (paragraph !== undefined || !isFull) return paragraph;
  for (const wanted of BORDER_KINDS) {
    const last = fitting.findLast(({ kind }) => kind === wanted);
    if (last !== undefined) return last;
  }
  return cutAnyway(text, open, most);
}

/** Cuts where there is no border. A line that opens or closes a fence stays whole unless it comes first. */
function cutAnyway(text: string, open: Fence | undefined, most: number): Cut {
  const { inside, mark } = fenceAt(text, most, open);
  if (mark !== undefined && mark > 0) return { at: mark, inside };
  return { at: betweenCharacters(text, Math.max(1, most - closingLength(inside))), inside };
}

/** The fence to put before a block that begins inside code. */
function openingLine(fence: Fence | undefined, maxChars: number): string {
  if (fence === undefined) return "";
  const { indent, marks, info } = outdented(fence);
  const whole = `${indent}${marks}${info.trimEnd()}\n`;
  return whole.length <= maxChars * OPENING_SHARE ? whole : `${indent}${marks}\n`;
}

function closingLength(fence: Fence | undefined): number {
  return fence === undefined ? 0 : fence.indent.length + fence.marks.length + 1;
}

/**
 * The text of a block from its start: continued code is fenced again, without the indentation of a surrounding list.
 */
function opened(source: string, open: Fence | undefined, maxChars: number): string {
  if (open === undefined) return source.replace(/^\s+/, "");
  const lines = source.split("\n");
  const [first = ""] = lines;
  // All of the code is in the previous block, which closed it.
  if (closesFence(first, open)) return lines.slice(1).join("\n").replace(/^\s+/, "");
  if (fenceAfter(first, open) !== open) return source.replace(/^\s+/, "");
  const end = lines.findIndex((line) => fenceAfter(line, open) !== open);
  const margin = outdented(open) === open ? 0 : open.indent.length;
  const code = lines.map((line, at) => (end === -1 || at <= end ? withoutMargin(line, margin) : line));
  return openingLine(open, maxChars) + code.join("\n");
}

/** The text of a block up to its end: open code is closed. */
function closed(text: string, inside: Fence | undefined, isContinued: boolean): string {
  if (inside === undefined) return text.trimEnd();
  const { indent, marks } = isContinued ? outdented(inside) : inside;
  return `${text}${text.endsWith("\n") ? "" : "\n"}${indent}${marks}`;
}

/** A fence without the indentation of a surrounding list. */
function outdented(fence: Fence): Fence {
  return fence.indent === "" || fence.indent.includes(">") ? fence : { ...fence, indent: "" };
}

function withoutMargin(line: string, margin: number): string {
  const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(indent, margin));
}
