import { RE2JS } from "re2js";
import { agentEntryOf } from "./agents.ts";
import { mentionPattern } from "./messages-schema.ts";
import type { CoreConfig } from "./schema.ts";

/** How much of a message is matched: the sender controls its length. */
const MAX_CHARS = 4000;

/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/**
 * Whether a text addresses an agent, besides the mentions of its platform: by the patterns of the agent, else the
 * shared ones, else its name.
 */
export function isAddressedIn(text: string, config: Pick<CoreConfig, "agents" | "messages">, agentId: string): boolean {
  const entry = agentEntryOf(config, agentId);
  const name = entry?.identity?.name;
  const configured = entry?.groupChat?.mentionPatterns ?? config.messages.groupChat.mentionPatterns;
  const patterns = configured ?? (name === undefined ? [] : [patternOf(name)]);
  const looked = text.slice(0, MAX_CHARS);
  return patterns.some((pattern) => mentionPattern(pattern).test(looked));
}

/** A pattern for the name as a separate word, in scripts that separate words. */
function patternOf(name: string): string {
  const literal = RE2JS.quote(name.trim());
  return UNSPACED.test(name) ? literal : `(?:^|[^\\p{L}\\p{N}_])@?${literal}(?:$|[^\\p{L}\\p{N}_])`;
}

/** What people see of a reply: its text, or only what the message tool sends. */
export type VisibleReplies = CoreConfig["messages"]["visibleReplies"];

/** The setting of a conversation: in groups that of the agent, then of `messages.groupChat`, then of `messages`. */
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

/** How many messages in a row that do not address an agent are kept for it: by its entry, else the shared setting. */
export function historyLimitOf(config: Pick<CoreConfig, "agents" | "messages">, agentId: string): number {
  return agentEntryOf(config, agentId)?.groupChat?.historyLimit ?? config.messages.groupChat.historyLimit ?? 0;
}
