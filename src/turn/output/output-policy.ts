import type { BlockSize } from "../../agent/block-chunker.ts";
import type { Agent } from "../../config/agents.ts";
import type { VisibleReplies } from "../../config/group-chat.ts";
import type { Preferences } from "../../session-store/session-settings.ts";

/** What a run sends besides its reply, and whether replies are sent in blocks. */
export interface OutputPolicy {
  /** Tool calls as they happen: none, one line each, or also the beginning of their results. */
  verbose: "off" | "on" | "full";
  /** The model's reasoning: none, before the reply, or of every reply when it is finished. */
  reasoning: "off" | "on" | "stream";
  /** Whether only the message tool sends: the text of replies stays in the session. */
  isPrivate: boolean;
  /** Set if replies are sent in blocks: while they are written, or when they are finished. */
  blocks?: { at: "text_end" | "message_end"; size: BlockSize };
}

/** What the policy depends on besides the session and the agent. */
export interface OutputTarget {
  /** The account's setting for block streaming. */
  inBlocks: boolean | undefined;
  /** Whether message hooks must see replies before they are sent: then they are sent whole, at the end. */
  isVetted: boolean;
  /** Which replies are visible in the conversation. */
  visible: VisibleReplies;
}

/** The output policy of a run. */
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
