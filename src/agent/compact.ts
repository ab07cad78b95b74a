import { messageOf } from "../lib/errors.ts";
import { estimateTokens } from "../lib/tokens.ts";
import { type Measured, measured, messageTokens, tokensOf } from "./context-size.ts";
import type { CompactionReason } from "./events.ts";
import type { View } from "./journal.ts";
import type { LoopDeps } from "./loop-deps.ts";
import { summarize } from "./summarize.ts";
import { summaryShown } from "./summary-prompt.ts";

/** Length of a summary as a share of what messages may have, and the least and the most of it, in tokens. */
const SUMMARY_SHARE = 0.1;
const LEAST_SUMMARY_TOKENS = 200;
const MOST_SUMMARY_TOKENS = 4000;

/** Why a conversation is to be summarized, and what for. */
export interface CompactionOrder {
  reason: CompactionReason;
  /** What matters most to whoever asked for it. */
  focus?: string;
}

/** What came of it. Sizes are estimated tokens of the whole context. */
export type CompactionOutcome =
  | { kind: "done"; tokensBefore: number; tokensAfter: number }
  | { kind: "nothing" }
  | { kind: "failed"; why: string };

/**
 * Puts a summary in place of the older part of what the model sees, and stores it. A summary that would not make the
 * context smaller is refused. Who dies in the midst of it has announced it and done nothing: it is begun again.
 * @throws what the budget of calls throws
 */
export async function compact(loop: LoopDeps, order: CompactionOrder, signal: AbortSignal): Promise<CompactionOutcome> {
  const { journal, hooks } = loop;
  const { reason, focus } = order;
  const size = measured(loop);
  const { view, tokens } = size;
  const deps = roomFor(size, reason);
  const first = firstKept(view, Math.min(loop.context.keepRecentTokens, keptIn(deps, size, reason)));
  const keptId = first === undefined ? undefined : view.messages[first]?.id;
  if (first === undefined || keptId === undefined) return { kind: "nothing" };

  await hooks?.beforeCompaction({ reason, tokensBefore: tokens });
  journal.compacting(reason, tokens);
  const task = {
    messages: view.messages.slice(view.summary === undefined ? 0 : 1, first),
    summaryTokens: Math.round(Math.min(Math.max(deps * SUMMARY_SHARE, LEAST_SUMMARY_TOKENS), MOST_SUMMARY_TOKENS)),
    ...(view.summary !== undefined && { earlier: view.summary }),
    ...(focus !== undefined && { focus }),
    ...(reason === "overflow" && { tooMany: tokens }),
  };
  const summary = await summarize(loop, task, signal);
  const fail = (why: string): CompactionOutcome => {
    journal.notCompacted(reason, why, summary.usage);
    return { kind: "failed", why };
  };
  if (summary.kind === "thrown") {
    // What ends the run ends this first, so that whoever watches is not left waiting.
    fail(messageOf(summary.error));
    throw summary.error;
  }
  if (summary.kind === "failed") return fail(summary.why);
  const saved = tokensOf(view.messages.slice(0, first)) - estimateTokens(summaryShown(summary.text));
  if (saved <= 0) return fail("The summary is no shorter than what it stands for.");
  const { text, model, usage } = summary;
  const tokensAfter = Math.max(0, tokens - saved);
  journal.compacted({ reason, text, keptId, model, usage, tokensBefore: tokens, tokensAfter });
  hooks?.afterCompaction({ reason, tokensBefore: tokens, tokensAfter });
  return { kind: "done", tokensBefore: tokens, tokensAfter };
}

/** Tokens that messages may have. Where a provider refused a request, half of that is what we know to be too much. */
function roomFor({ budget, tokens, fixed }: Measured, reason: CompactionReason): number {
  return reason === "overflow" ? Math.max(0, Math.min(budget.deps, tokens / 2 - fixed)) : budget.deps;
}

/** Most tokens of messages that stay. There may be room for all of them, and still a summary is wanted. */
function keptIn(deps: number, { view }: Measured, reason: CompactionReason): number {
  const isAboutRoom = reason !== "command" && !view.isFull;
  return isAboutRoom ? deps / 2 : Math.min(deps / 2, tokensOf(view.messages) / 3);
}

/** What is shorter is not worth a summary, in tokens. */
const LEAST_TOKENS = 400;

/**
 * Where a summary ends: the index of the first message that stays as it is. What stays is the newest messages that have
 * at most `keepTokens` together, and always the last one; a call and its results are never parted. It begins with what
 * somebody said where that is not much less. Undefined where there is too little before it.
 */
export function firstKept(view: Pick<View, "messages" | "pinned">, keepTokens: number): number | undefined {
  const { messages, pinned } = view;
  let kept = 0;
  let start: number | undefined;
  let said: { at: number; kept: number } | undefined;
  for (let at = messages.length - 1; at > pinned; at--) {
    const message = messages[at];
    if (message === undefined) break;
    kept += messageTokens(message);
    if (kept > keepTokens && start !== undefined) break;
    // Results stand behind their call, so whatever is none may come first.
    if (message.role !== "tool") start = at;
    if (message.role === "user") said = { at, kept };
  }
  const first = said !== undefined && said.kept >= Math.min(kept, keepTokens) / 2 ? said.at : start;
  if (first === undefined || tokensOf(messages.slice(pinned, first)) < LEAST_TOKENS) return undefined;
  return first;
}
