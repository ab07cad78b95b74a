import { betweenCharacters } from "../lib/text.ts";
import { BORDER_KINDS, bordersIn, fenceAt } from "./block-borders.ts";
import { closesFence, type Fence, fenceAfter } from "./markdown-code.ts";

/** How large blocks are, in UTF-16 units. */
export interface BlockSize {
  /** Fewest of a block that is not the last. */
  minChars: number;
  /** Most of a block, the fences that were added included. */
  maxChars: number;
}

/** A piece of a text that can be sent by itself. */
export interface Block {
  /** As it is sent: without white space at its edges; code that was cut is fenced off on both sides. */
  text: string;
  /** As it was written: the sources of all blocks, put together, are the text. */
  source: string;
}

/** Cuts a text into blocks while it is being written. However it arrives, the blocks are the same. */
export interface BlockChunker {
  /** Takes more of the text. Gives the blocks that are complete now. */
  push(delta: string): Block[];
  /** Gives what is left, once there is no more to come. Then it is ready for another text. */
  end(): Block[];
}

/** Units after a cut that have to be there, so that no character is cut in the middle. */
const LOOKAHEAD = 2;
/** Share of a block that opening a fence again may take, its language included. */
const OPENING_SHARE = 0.25;

/**
 * A block ends at the first blank line past `minChars`; where there is none up to `maxChars`, at the last end there of a
 * line, a sentence or a word, in this order. Only where there is nothing of all that, it ends between two characters as
 * a reader sees them. Fenced code is cut last; then its fence is closed, and opened again in the next block.
 */
export function createBlockChunker({ minChars, maxChars }: BlockSize): BlockChunker {
  let buffer = "";
  let open: Fence | undefined;

  /** Most units of the next block's source. */
  function deps(): number {
    return Math.max(1, maxChars - openingOf(open, maxChars).length);
  }

  function next(isEnd: boolean): Block | undefined {
    const most = deps();
    const isFull = buffer.length >= most + (isEnd ? 1 : LOOKAHEAD);
    // What comes later must not matter, or the blocks would depend on how the text arrives.
    const cut = cutIn(buffer.slice(0, most + LOOKAHEAD), open, { least: Math.min(minChars, most), most, isFull });
    if (cut === undefined) return undefined;
    const block = blockOf(buffer.slice(0, cut.at), cut.inside);
    buffer = buffer.slice(cut.at);
    open = cut.inside;
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
      if (buffer.length < Math.min(minChars, deps())) return [];
      // A block that is not full ends only with a line.
      return delta.includes("\n") || buffer.length >= deps() + LOOKAHEAD ? takeAll(false) : [];
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
  /** Fewest and most units before the cut. */
  least: number;
  most: number;
  /** Whether a cut has to be made. */
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

/** Cuts where there is no border; what opens or closes a fence stays whole where something comes before it. */
function cutAnyway(text: string, open: Fence | undefined, most: number): Cut {
  const { inside, mark } = fenceAt(text, most, open);
  if (mark !== undefined && mark > 0) return { at: mark, inside };
  return { at: betweenCharacters(text, Math.max(1, most - closingLength(inside))), inside };
}

/** What has to stand before a block that begins in the middle of code. */
function openingOf(fence: Fence | undefined, maxChars: number): string {
  if (fence === undefined) return "";
  const { indent, marks, info } = outdented(fence);
  const whole = `${indent}${marks}${info.trimEnd()}\n`;
  return whole.length <= maxChars * OPENING_SHARE ? whole : `${indent}${marks}\n`;
}

function closingLength(fence: Fence | undefined): number {
  return fence === undefined ? 0 : fence.indent.length + fence.marks.length + 1;
}

/** A block's text from where the block begins: code goes on, without the indentation that a list gave it. */
function opened(source: string, open: Fence | undefined, maxChars: number): string {
  if (open === undefined) return source.replace(/^\s+/, "");
  const lines = source.split("\n");
  const [first = ""] = lines;
  // All of the code is in the block before, which has closed it.
  if (closesFence(first, open)) return lines.slice(1).join("\n").replace(/^\s+/, "");
  if (fenceAfter(first, open) !== open) return source.replace(/^\s+/, "");
  const end = lines.findIndex((line) => fenceAfter(line, open) !== open);
  const margin = outdented(open) === open ? 0 : open.indent.length;
  const code = lines.map((line, at) => (end === -1 || at <= end ? withoutMargin(line, margin) : line));
  return openingOf(open, maxChars) + code.join("\n");
}

/** A block's text up to where the block ends: code is closed. */
function closed(text: string, inside: Fence | undefined, isContinued: boolean): string {
  if (inside === undefined) return text.trimEnd();
  const { indent, marks } = isContinued ? outdented(inside) : inside;
  return `${text}${text.endsWith("\n") ? "" : "\n"}${indent}${marks}`;
}

/** A fence as it stands where no list is around it. */
function outdented(fence: Fence): Fence {
  return fence.indent === "" || fence.indent.includes(">") ? fence : { ...fence, indent: "" };
}

function withoutMargin(line: string, margin: number): string {
  const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(indent, margin));
}
