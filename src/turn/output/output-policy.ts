import type { BlockSize } from "../../agent/block-chunker.ts";
import type { Agent } from "../../config/agents.ts";
import type { VisibleReplies } from "../../config/group-chat.ts";
import type { Preferences } from "../../session-store/session-settings.ts";

/** What people are told of a run beside its answer, and how they get that. */
export interface OutputPolicy {
  /** Tool calls as they happen: not at all, in a line each, or also with how their results begin. */
  verbose: "off" | "on" | "full";
  /** The model's reasoning: not at all, before the answer, or of every reply once that is finished. */
  reasoning: "off" | "on" | "stream";
  /** Whether only the message tool speaks: the text of a reply stays in the session. */
  isPrivate: boolean;
  /** Set where replies leave in blocks: while they are being written, or once they are finished. */
  blocks?: { at: "text_end" | "message_end"; size: BlockSize };
}

/** What has a say in how a run speaks, besides the session and the agent. */
export interface OutputTarget {
  /** What the account that it speaks through says of blocks. */
  inBlocks: boolean | undefined;
  /** Whether a plugin looks at what a model says before it is sent: then that leaves whole, and at the end. */
  isVetted: boolean;
  /** What of a reply is seen there. */
  visible: VisibleReplies;
}

/** What holds for a run. */
export function outputPolicy(
  { verbose, reasoning }: Pick<Preferences, "verbose" | "reasoning">,
  { defaults }: Pick<Agent, "defaults">,
  { inBlocks = defaults.blockStreamingDefault === "on", isVetted, visible }: OutputTarget,
): OutputPolicy {
  if (visible === "message_tool") return { verbose, reasoning: "off", isPrivate: true };
  if (isVetted) return { verbose, reasoning: reasoning === "off" ? "off" : "on", isPrivate: false };
  const blocks = { at: defaults.blockStreamingBreak, size: defaults.blockStreamingChunk };
  return { verbose, reasoning, isPrivate: false, ...(inBlocks && { blocks }) };
}
