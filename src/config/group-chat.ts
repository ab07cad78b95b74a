import { RE2JS } from "re2js";
import { agentEntryOf } from "./agents.ts";
import { mentionPattern } from "./messages-schema.ts";
import type { CoreConfig } from "./schema.ts";

/** How much of a message is looked at: whoever speaks chooses its length. */
const MAX_CHARS = 4000;

/** Scripts that put no space between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/**
 * Whether a text addresses an agent by what is configured, beside its platform's own mentions: the patterns of the agent,
 * else those for all, else its name.
 */
export function isAddressedIn(text: string, config: Pick<CoreConfig, "agents" | "messages">, agentId: string): boolean {
  const entry = agentEntryOf(config, agentId);
  const name = entry?.identity?.name;
  const configured = entry?.groupChat?.mentionPatterns ?? config.messages.groupChat.mentionPatterns;
  const patterns = configured ?? (name === undefined ? [] : [patternOf(name)]);
  const looked = text.slice(0, MAX_CHARS);
  return patterns.some((pattern) => mentionPattern(pattern).test(looked));
}

/** The name as a word of its own, where words stand apart. */
function patternOf(name: string): string {
  const literal = RE2JS.quote(name.trim());
  return UNSPACED.test(name) ? literal : `(?:^|[^\\p{L}\\p{N}_])@?${literal}(?:$|[^\\p{L}\\p{N}_])`;
}

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
