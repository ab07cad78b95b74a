import { canonicalJson } from "../lib/json.ts";
import type { ToolCallPart, ToolMessage } from "../models/message.ts";
import { leftOf } from "./pruning.ts";
import { withoutNote } from "./repetition-note.ts";

/** A call and what came of it, as far as it is compared with others. */
export interface Done {
  tool: string;
  /** What was called, and all of the result but its text. */
  call: string;
  /** How the text begins and ends: all of it, twice, unless it was shortened since. */
  first: string;
  last: string;
  /** Characters of the whole. */
  length: number;
}

/** Ids that are drawn anew for each result: where the whole of it is kept, and the fence around what others wrote. */
const DRAWN_ID = /spl_[0-9a-z]{26}|(?<=UNTRUSTED_CONTENT id=")[0-9a-f]{16}/g;

/** A call with its result. */
export function doneBy({ tool, args, invalidArgs = "" }: ToolCallPart, result: ToolMessage): Done {
  const { text, isError, images = [] } = result;
  const bare = withoutNote(text);
  const left = leftOf(bare);
  const noteLength = text.length - bare.length;
  return {
    tool,
    call: canonicalJson([tool, args, invalidArgs, isError, images.map(({ path }) => path)]),
    first: withoutIds(left?.first ?? bare),
    last: withoutIds(left?.last ?? bare),
    length: left === undefined ? bare.length : left.length - noteLength,
  };
}

function withoutIds(text: string): string {
  return text.replace(DRAWN_ID, (id) => "_".repeat(id.length));
}

/** Whether two calls were the same and gave the same; of a result that was shortened, as far as it is still there. */
export function isSame(a: Done, b: Done): boolean {
  if (a.call !== b.call || a.length !== b.length) return false;
  const begins = a.first.startsWith(b.first) || b.first.startsWith(a.first);
  return begins && (a.last.endsWith(b.last) || b.last.endsWith(a.last));
}
