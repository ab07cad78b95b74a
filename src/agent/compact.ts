import { messageOf } from "../lib/errors.ts";
import { estimateTokens } from "../lib/tokens.ts";
import type { Model } from "../models/model.ts";
import { type ContextSize, measureContext, messagesTokens, messageTokens } from "./context-size.ts";
import type { CompactionReason } from "./events.ts";
import type { View } from "./journal.ts";
import type { LoopDeps } from "./loop-deps.ts";
import { summarize } from "./summarize.ts";
import { summaryForModel } from "./summary-prompt.ts";

/** The length of a summary as a share of the space for messages, and its bounds in tokens. */
const SUMMARY_SHARE = 0.1;
const LEAST_SUMMARY_TOKENS = 200;
const MOST_SUMMARY_TOKENS = 4000;

/** Why a conversation is compacted, and what the summary emphasizes. */
export interface CompactionOrder {
  reason: CompactionReason;
  /** What matters most to the person who asked for the compaction. */
  focus?: string;
}

/** The outcome. Sizes are estimated tokens of the whole context. */
export type CompactionOutcome =
  | { kind: "done"; tokensBefore: number; tokensAfter: number }
  | { kind: "nothing" }
  | { kind: "failed"; why: string };

/**
 * Replaces the older part of the model's view with a summary and stores it. A summary that would not make the context
 * smaller is rejected. After a crash the compaction starts again: only its start event was stored.
 * @throws what the call budget throws
 */
export async function compact(loop: LoopDeps, order: CompactionOrder, signal: AbortSignal): Promise<CompactionOutcome> {
  const { journal, hooks } = loop;
  const { reason, focus } = order;
  const size = measureContext(loop);
  const { view, tokens } = size;
  const space = messageBudget(size, reason);
  const first = firstKept(
    view,
    Math.min(loop.context.keepRecentTokens, mostKept(space, size, { reason, model: loop.model })),
    loop.model,
  );
  const keptId = first === undefined ? undefined : view.messages[first]?.id;
  if (first === undefined || keptId === undefined) return { kind: "nothing" };

  await hooks?.beforeCompaction({ reason, tokensBefore: tokens });
  journal.compacting(reason, tokens);
  const task = {
    messages: view.messages.slice(view.summary === undefined ? 0 : 1, first),
    summaryTokens: Math.round(Math.min(Math.max(space * SUMMARY_SHARE, LEAST_SUMMARY_TOKENS), MOST_SUMMARY_TOKENS)),
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
    // Report the failed compaction first: the error ends the run, and clients wait for the compaction's end.
    fail(messageOf(summary.error));
    throw summary.error;
  }
  if (summary.kind === "failed") return fail(summary.why);
  const saved =
    messagesTokens(view.messages.slice(0, first), loop.model) - estimateTokens(summaryForModel(summary.text));
  if (saved <= 0) return fail("The summary is no shorter than what it stands for.");
  const { text, model, usage } = summary;
  const tokensAfter = Math.max(0, tokens - saved);
  journal.compacted({ reason, text, keptId, model, usage, tokensBefore: tokens, tokensAfter });
  hooks?.afterCompaction({ reason, tokensBefore: tokens, tokensAfter });
  return { kind: "done", tokensBefore: tokens, tokensAfter };
}

/** Tokens that messages may take. If a provider refused a request, half of its size is a safe limit. */
function messageBudget({ budget, tokens, fixed }: ContextSize, reason: CompactionReason): number {
  return reason === "overflow" ? Math.max(0, Math.min(budget.messages, tokens / 2 - fixed)) : budget.messages;
}

/** The most tokens of messages to keep. A compaction on command happens although everything fits, so it keeps less. */
function mostKept(
  space: number,
  { view }: ContextSize,
  { reason, model }: { reason: CompactionReason; model: Pick<Model, "input"> },
): number {
  const isAboutRoom = reason !== "command" && !view.isFull;
  return isAboutRoom ? space / 2 : Math.min(space / 2, messagesTokens(view.messages, model) / 3);
}

/** Fewer tokens are not worth a summary. */
const LEAST_TOKENS = 400;

/**
 * The index of the first message that a summary leaves unchanged: the newest messages of at most `keepTokens`, at least
 * the last one. A call and its results stay together, and the kept part begins with a user message if that does not
 * make it much shorter. Undefined if there is too little before it.
 */
export function firstKept(
  view: Pick<View, "messages" | "pinned">,
  keepTokens: number,
  model: Pick<Model, "input">,
): number | undefined {
  const { messages, pinned } = view;
  let kept = 0;
  let start: number | undefined;
  let userMessage: { at: number; kept: number } | undefined;
  for (let at = messages.length - 1; at > pinned; at--) {
    const message = messages[at];
    if (message === undefined) break;
    kept += messageTokens(message, model);
    if (kept > keepTokens && start !== undefined) break;
    // A result follows its call, so the kept part may begin with any message that is not a result.
    if (message.role !== "tool") start = at;
    if (message.role === "user") userMessage = { at, kept };
  }
  const first =
    userMessage !== undefined && userMessage.kept >= Math.min(kept, keepTokens) / 2 ? userMessage.at : start;
  if (first === undefined || messagesTokens(messages.slice(pinned, first), model) < LEAST_TOKENS) return undefined;
  return first;
}
