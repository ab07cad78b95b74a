import Parser, { type MarkdownIt } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";

/**
 * Longest Markdown that is parsed, in UTF-16 units. Parsing takes linear time; its tokens take about 0.3 KB of memory
 * for each unit of the worst text.
 */
export const MAX_MARKDOWN_UNITS = 250_000;

/** Blocks below this depth are text. */
const MAX_DEPTH = 16;

/**
 * Creates a parser of replies: CommonMark with tables and strikethrough. HTML is text. Emphasis beside Chinese, Japanese
 * and Korean characters needs no spaces.
 */
export function createParser(): MarkdownIt {
  const parser = new Parser().use(cjkFriendly);
  keepDeepBlocks(parser);
  keepMultiplication(parser);
  return parser;
}

/** Makes the blocks below `MAX_DEPTH` one paragraph; markdown-it drops what is nested deeper than its limit. */
function keepDeepBlocks({ block }: MarkdownIt): void {
  const tokenize = block.tokenize.bind(block);
  block.tokenize = (state, from, to) => {
    if (state.level < MAX_DEPTH) return tokenize(state, from, to);
    let end = from + 1;
    while (end < to && (state.isEmpty(end) || (state.sCount[end] ?? 0) >= state.blkIndent)) end++;
    state.push("paragraph_open", "p", 1);
    const inline = state.push("inline", "", 0);
    inline.content = state.getLines(from, end, state.blkIndent, false).trim();
    inline.map = [from, end];
    inline.children = [];
    state.push("paragraph_close", "p", -1);
    state.line = end;
  };
}

/** A star between digits is no emphasis, as it would be in CommonMark: `2*3*4` is a product. */
function keepMultiplication({ inline }: MarkdownIt): void {
  inline.State = class extends inline.State {
    override scanDelims(start: number, canSplitWord: boolean) {
      const isProduct = /^\d\*\d/.test(this.src.slice(start - 1, start + 2));
      return isProduct ? { can_open: false, can_close: false, length: 1 } : super.scanDelims(start, canSplitWord);
    }
  };
}
