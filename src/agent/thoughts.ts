import { type Fence, fenceAfter } from "./fence.ts";

/** A text in two: what people are to read, and what the model thought, which it put into tags. */
export interface SplitText {
  visible: string;
  thought: string;
}

/** Takes thoughts out of a text while it is being written. */
export interface ThoughtSplitter {
  /** What is visible of one more piece; a piece that may be half a tag is held back. */
  push(delta: string): SplitText;
  /** What was held back, once there is no more to come. */
  end(): SplitText;
}

/** Units of a line in which a fence shows, with its language. */
const FENCE_UNITS = 256;

const TAG = /^<(\/?)think(?:ing)?>/i;
/** Every beginning of a tag. */
const HALF_TAG = /^<\/?(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?)?$/i;

/**
 * Takes `<think>…</think>` out of a text, for models that have no other place for their thoughts. One that is not closed
 * goes on to the end. In code a tag is a text like any other.
 */
export function withoutThoughts(text: string): SplitText {
  const splitter = createThoughtSplitter();
  const [first, last] = [splitter.push(text), splitter.end()];
  return { visible: first.visible + last.visible, thought: first.thought + last.thought };
}

/** The same for a text that comes piece by piece. */
export function createThoughtSplitter(): ThoughtSplitter {
  let held = "";
  let isThinking = false;
  /** How the visible line at hand begins, how many backticks are in it, and the fence that was open before it. */
  let line = "";
  let ticks = 0;
  let fence: Fence | undefined;

  function note(visible: string): void {
    const [first = "", ...others] = visible.split("\n");
    add(first);
    for (const next of others) {
      fence = fenceAfter(line, fence);
      [line, ticks] = ["", 0];
      add(next);
    }
  }

  function add(text: string): void {
    if (line.length < FENCE_UNITS) line += text.slice(0, FENCE_UNITS);
    ticks += text.split("`").length - 1;
  }

  function isInCode(): boolean {
    return fenceAfter(line, fence) !== undefined || ticks % 2 === 1;
  }

  function split(text: string, isEnd: boolean): SplitText {
    const found: SplitText = { visible: "", thought: "" };
    const take = (piece: string) => {
      if (isThinking) found.thought += piece;
      else {
        found.visible += piece;
        note(piece);
      }
    };
    let rest = text;
    while (rest !== "") {
      const at = rest.indexOf("<");
      take(at === -1 ? rest : rest.slice(0, at));
      rest = at === -1 ? "" : rest.slice(at);
      const tag = TAG.exec(rest);
      if (tag !== null && !isInCode()) {
        isThinking = tag[1] === "";
        rest = rest.slice(tag[0].length);
      } else if (HALF_TAG.test(rest) && !isEnd) {
        held = rest;
        rest = "";
      } else if (rest !== "") {
        take("<");
        rest = rest.slice(1);
      }
    }
    return found;
  }

  return {
    push(delta) {
      const text = held + delta;
      held = "";
      return split(text, false);
    },
    end() {
      const text = held;
      held = "";
      return split(text, true);
    },
  };
}
