import { type Block, type BlockSize, createBlockChunker } from "./block-chunker.ts";
import { endsWithToken, isSilent, withoutTokenAfter, withoutTokenBefore } from "./silent-token.ts";

/** Cuts a reply into blocks while it streams, without the silent token. */
export interface ReplyStream {
  /** Adds text and returns the blocks that can be sent; none is blank. */
  push(delta: string): Block[];
  /** Returns the rest, at the end. */
  end(): Block[];
}

/**
 * A block that is or ends with the silent token is held back, because the next text decides whether the token is
 * removed. Removed text stays in the source of the next block, so that the sources joined are the reply up to there.
 */
export function createReplyStream(size: BlockSize): ReplyStream {
  const chunker = createBlockChunker(size);
  let held: Block | undefined;
  let isFirst = true;
  let leftOut = "";

  function give(block: Block, isLast: boolean): Block[] {
    const begun = isFirst ? withoutTokenBefore(block.text) : block.text;
    const text = (isLast ? withoutTokenAfter(begun) : begun).trim();
    const source = leftOut + block.source;
    if (text === "" || (isFirst && isSilent(text))) {
      leftOut = source;
      return [];
    }
    leftOut = "";
    isFirst = false;
    return [{ text, source }];
  }

  function release(): Block[] {
    const block = held;
    held = undefined;
    return block === undefined ? [] : give(block, false);
  }

  function take(block: Block): Block[] {
    const before = release();
    held = block;
    return endsWithToken(block.text) ? before : [...before, ...release()];
  }

  return {
    push: (delta) => chunker.push(delta).flatMap(take),
    end() {
      const blocks = chunker.end();
      const rest = held === undefined ? blocks : [held, ...blocks];
      held = undefined;
      const last = rest.findLastIndex((block) => block.text !== "");
      return rest.flatMap((block, at) => give(block, at === last));
    },
  };
}
