import { agentEntryOf } from "./agents.ts";
import type { CoreConfig } from "./schema.ts";

/** What of a reply people see: its text, or only what the message tool sends. */
export type VisibleReplies = CoreConfig["messages"]["visibleReplies"];

/** What holds in a conversation: in one of several people what the agent, then what `groupChat`, says of those. */
export function visibleRepliesIn(
  config: CoreConfig,
  agentId: string,
  kind: "direct" | "group" | "channel",
): VisibleReplies {
  const { messages } = config;
  if (kind === "direct") return messages.visibleReplies;
  const own = agentEntryOf(config, agentId)?.groupChat?.visibleReplies;
  return own ?? messages.groupChat.visibleReplies ?? messages.visibleReplies;
}
