import { type Block, type BlockSize, createBlockChunker } from "./block-chunker.ts";
import { endsWithToken, isSilent, withoutTokenAfter, withoutTokenBefore } from "./silent-token.ts";

/** Makes blocks of a reply while it is being written, without the silent token. */
export interface ReplyStream {
  /** Takes more of the reply's text. Gives the blocks that can be sent now, none of them blank. */
  push(delta: string): Block[];
  /** Gives the rest, once there is no more to come. */
  end(): Block[];
}

/**
 * A block that is the silent token, or ends with it, is held back: whether that is said depends on what comes next. What
 * is left out of a reply is in the source of the block after it, so that the sources of what was given are
 * the reply as far as it was given.
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
