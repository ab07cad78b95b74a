import { head, tail } from "../lib/text.ts";
import type { Message, ToolMessage, UserMessage } from "../models/message.ts";
import type { Model } from "../models/model.ts";
import type { PruningRules } from "./context-rules.ts";
import { messageTokens } from "./context-size.ts";

/** The least share of the window that pruning must free: each pruning invalidates the provider's prompt cache. */
const STEP_SHARE = 0.05;

/**
 * An old tool result as a model sees it: head and tail of a long text, and no images.
 * @param where how to read the whole text again
 */
export function pruneResult(result: ToolMessage, rules: PruningRules, where: string): ToolMessage {
  if (!isPrunable(result, rules)) return result;
  const { images, ...rest } = result;
  const gone = (images ?? []).map(({ path }) => `\n[The image ${path} is not shown any more: use read to see it.]`);
  return { ...rest, text: excerpt(result.text, rules, where) + gone.join("") };
}

/** A message of a person as a model sees it later: its PDFs and recordings are no longer shown. */
export function pruneMedia(message: UserMessage): UserMessage {
  if (message.media === undefined) return message;
  return { ...message, media: message.media.map((file) => ({ ...file, isPruned: true })) };
}

function excerpt(text: string, { maxChars, headChars, tailChars }: PruningRules, where: string): string {
  if (text.length <= maxChars) return text;
  const [first, last] = [head(text, headChars), tailOrEmpty(text, tailChars)];
  const left = text.length - first.length - last.length;
  return `${first}\n\n[${left} of ${text.length} characters of this older result are left out here. ${where}]\n\n${last}`;
}

/** The head, the tail and the full length of a pruned text; undefined if it was not pruned. */
export function prunedExcerpt(text: string): { first: string; last: string; length: number } | undefined {
  const [, first, length, last] = EXCERPT.exec(text) ?? [];
  return first === undefined || last === undefined ? undefined : { first, last, length: Number(length) };
}

const EXCERPT =
  /^([\s\S]*)\n\n\[\d+ of (\d+) characters of this older result are left out here\. [^\n]*\]\n\n([\s\S]*)$/;

function tailOrEmpty(text: string, chars: number): string {
  return chars === 0 ? "" : tail(text, chars);
}

function isPrunable({ text, images }: ToolMessage, { maxChars, headChars, tailChars }: PruningRules): boolean {
  return (text.length > maxChars && headChars + tailChars < text.length) || (images?.length ?? 0) > 0;
}

/** The effect of a pruning. */
export interface Pruning {
  /** Results and files before this message are pruned; all if absent. */
  beforeId?: string;
  /** Tokens that it frees. */
  saved: number;
}

/** What pruning would free with the newest replies, as many as the rules say, left whole. */
export function planPruning(messages: readonly Message[], rules: PruningRules, model: Pick<Model, "input">): Pruning {
  let replies = rules.keepLastAssistants;
  let end = messages.length;
  for (let at = messages.length - 1; at >= 0 && replies > 0; at--) {
    if (messages[at]?.role !== "assistant") continue;
    replies--;
    end = at;
  }
  const saved = messages.slice(0, end).reduce((sum, message) => sum + savedBy(message, rules, model), 0);
  const beforeId = messages[end]?.id;
  return { saved, ...(beforeId !== undefined && { beforeId }) };
}

function savedBy(message: Message, rules: PruningRules, model: Pick<Model, "input">): number {
  if (message.role === "assistant" || (message.role === "tool" && !isPrunable(message, rules))) return 0;
  const pruned = message.role === "user" ? pruneMedia(message) : pruneResult(message, rules, "");
  return Math.max(0, messageTokens(message, model) - messageTokens(pruned, model));
}

/** Whether the freed tokens are worth invalidating the provider's prompt cache. */
export function isWorthPruning(saved: number, window: number): boolean {
  return saved >= STEP_SHARE * window;
}
