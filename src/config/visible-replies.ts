import type { CoreConfig } from "./schema.ts";

/** What of a reply people see: its text, or only what the message tool sends. */
export type VisibleReplies = CoreConfig["messages"]["visibleReplies"];

/** What holds in a conversation: in one of several people what the agent, then what `groupChat`, says of those. */
export function visibleRepliesIn(
  { agents, messages }: CoreConfig,
  agentId: string,
  kind: "direct" | "group" | "channel",
): VisibleReplies {
  if (kind === "direct") return messages.visibleReplies;
  const own = agents.list.find(({ id }) => id === agentId)?.groupChat?.visibleReplies;
  return own ?? messages.groupChat.visibleReplies ?? messages.visibleReplies;
}
