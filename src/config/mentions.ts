import { RE2JS } from "re2js";
import { agentEntryOf } from "./agents.ts";
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

/**
 * A pattern of mentions, in any case. It is compiled for RE2, which has no look-around and no back-references: strangers
 * choose the text that it looks at, and its time grows with the text's length and no faster.
 * @throws Error where it is no such pattern
 */
export function mentionPattern(pattern: string): RE2JS {
  return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
}

/** The name as a word of its own, where words stand apart. */
function patternOf(name: string): string {
  const literal = RE2JS.quote(name.trim());
  return UNSPACED.test(name) ? literal : `(?:^|[^\\p{L}\\p{N}_])@?${literal}(?:$|[^\\p{L}\\p{N}_])`;
}
