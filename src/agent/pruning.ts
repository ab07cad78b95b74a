import { head, tail } from "../lib/text.ts";
import type { Message, ToolMessage } from "../models/message.ts";
import type { PruningRules } from "./context-rules.ts";
import { messageTokens } from "./context-size.ts";

/** Share of the window that has to come free: every step changes what a provider has in its cache. */
const STEP_SHARE = 0.05;

/**
 * A tool's result as a model sees it once it is old: beginning and end of a long one, and no images.
 * @param where how to read the whole of it again
 */
export function shortened(result: ToolMessage, rules: PruningRules, where: string): ToolMessage {
  if (!isShortened(result, rules)) return result;
  const { images, ...rest } = result;
  const gone = (images ?? []).map(({ path }) => `\n[The image ${path} is not shown any more: use read to see it.]`);
  return { ...rest, text: excerpt(result.text, rules, where) + gone.join("") };
}

function excerpt(text: string, { maxChars, headChars, tailChars }: PruningRules, where: string): string {
  if (text.length <= maxChars) return text;
  const [first, last] = [head(text, headChars), headOfTail(text, tailChars)];
  const left = text.length - first.length - last.length;
  return `${first}\n\n[${left} of ${text.length} characters of this older result are left out here. ${where}]\n\n${last}`;
}

/** What is left of a text that was shortened: how it began and ended, and how long it was; undefined where it is whole. */
export function leftOf(text: string): { first: string; last: string; length: number } | undefined {
  const [, first, length, last] = EXCERPT.exec(text) ?? [];
  return first === undefined || last === undefined ? undefined : { first, last, length: Number(length) };
}

const EXCERPT =
  /^([\s\S]*)\n\n\[\d+ of (\d+) characters of this older result are left out here\. [^\n]*\]\n\n([\s\S]*)$/;

function headOfTail(text: string, chars: number): string {
  return chars === 0 ? "" : tail(text, chars);
}

function isShortened({ text, images }: ToolMessage, { maxChars, headChars, tailChars }: PruningRules): boolean {
  return (text.length > maxChars && headChars + tailChars < text.length) || (images?.length ?? 0) > 0;
}

/** What shortening would bring. */
export interface Pruning {
  /** The message before which results are to be shortened; absent where that is all of them. */
  beforeId?: string;
  /** Tokens that come free. */
  saved: number;
}

/** What comes free when the results before the newest replies are shortened, as many replies as the rules say. */
export function pruningOf(messages: readonly Message[], rules: PruningRules): Pruning {
  let replies = rules.keepLastAssistants;
  let end = messages.length;
  for (let at = messages.length - 1; at >= 0 && replies > 0; at--) {
    if (messages[at]?.role !== "assistant") continue;
    replies--;
    end = at;
  }
  const saved = messages.slice(0, end).reduce((sum, message) => sum + savedBy(message, rules), 0);
  const beforeId = messages[end]?.id;
  return { saved, ...(beforeId !== undefined && { beforeId }) };
}

function savedBy(message: Message, rules: PruningRules): number {
  if (message.role !== "tool" || !isShortened(message, rules)) return 0;
  return Math.max(0, messageTokens(message) - messageTokens(shortened(message, rules, "")));
}

/** Whether shortening is worth that a provider's cache no longer holds what comes after. */
export function isWorthPruning(saved: number, window: number): boolean {
  return saved >= STEP_SHARE * window;
}
