import type { BlockSize } from "../agent/block-chunker.ts";
import type { Agent } from "../config/agents.ts";
import type { Preferences } from "./preferences.ts";

/** What people are told of a run beside its answer, and how they get that. */
export interface Telling {
  /** Tool calls as they happen: not at all, in a line each, or also with how their results begin. */
  verbose: "off" | "on" | "full";
  /** The model's reasoning: not at all, before the answer, or of every reply once that is finished. */
  reasoning: "off" | "on" | "stream";
  /** Set where replies leave in blocks: while they are being written, or once they are finished. */
  blocks?: { at: "text_end" | "message_end"; size: BlockSize };
}

/**
 * What holds for a run.
 * @param inBlocks what the account that it speaks through says of blocks
 */
export function tellingOf(
  { verbose, reasoning }: Pick<Preferences, "verbose" | "reasoning">,
  { defaults }: Pick<Agent, "defaults">,
  inBlocks = defaults.blockStreamingDefault === "on",
): Telling {
  const blocks = { at: defaults.blockStreamingBreak, size: defaults.blockStreamingChunk };
  return { verbose, reasoning, ...(inBlocks && { blocks }) };
}
