import type { AssistantMessage } from "../models/message.ts";
import { compact } from "./compact.ts";
import { type ContextSize, measureContext } from "./context-size.ts";
import type { LoopDeps } from "./loop-deps.ts";
import { isWorthPruning, planPruning } from "./pruning.ts";

/** After this many compactions in a row that did not make enough space, no other is tried. */
const MAX_FAILED_ATTEMPTS = 2;
/** How much a context must grow before another try, as a share of the space for messages. */
const REGROWTH = 0.1;

/**
 * Keeps the context of one run within the model's window, in three steps, each only if needed: prunes old results, runs
 * a memory flush, and compacts the older part.
 */
export class ContextKeeper {
  /** Holds the model that answered or refused last, which after a failover is not the configured one. */
  #loop: LoopDeps;
  /** Compactions since the last good reply that did not make enough space. */
  #failedAttempts = 0;
  /** No compaction before a request with fewer tokens than this, because the last one did not help. */
  #notBelow = 0;

  constructor(loop: LoopDeps) {
    this.#loop = loop;
  }

  /** Makes space if the next request would not fit. It may begin a memory flush, which then is the next request. */
  async makeRoom(signal: AbortSignal): Promise<void> {
    const { journal, context } = this.#loop;
    if (journal.flushReplies !== undefined) return;
    let size = this.#shortenWhereWorth(measureContext(this.#loop));
    if (!isOver(size, size.budget.flushAt)) return;
    if (this.#shorten(context.pruning?.keepLastAssistants)) size = measureContext(this.#loop);
    if (isOver(size, size.budget.flushAt) && this.#beginFlush(size)) return;
    if (!isOver(size, size.budget.limit) || size.tokens < this.#notBelow || this.#failedAttempts >= MAX_FAILED_ATTEMPTS)
      return;
    const outcome = await compact(this.#loop, { reason: "threshold" }, signal);
    if (outcome.kind === "done" && !this.#isOver()) return;
    this.#failedAttempts++;
    if (this.#isOver()) this.#shorten(0);
    size = measureContext(this.#loop);
    this.#notBelow = size.tokens + REGROWTH * size.budget.messages;
  }

  /** Makes space after a model refused a request for its size. Returns false if that is impossible. */
  async recover(refusal: AssistantMessage, signal: AbortSignal): Promise<boolean> {
    this.#useModelOf(refusal);
    if (this.#failedAttempts >= MAX_FAILED_ATTEMPTS) return false;
    this.#failedAttempts++;
    const { kind } = await compact(this.#loop, { reason: "overflow" }, signal);
    return kind === "done" || (!signal.aborted && this.#shorten(0));
  }

  /** Resets the count of failed attempts after a reply. */
  answered(reply: AssistantMessage): void {
    this.#useModelOf(reply);
    this.#failedAttempts = 0;
  }

  /** A failover model may have a smaller window. */
  #useModelOf({ model: ref }: AssistantMessage): void {
    const asked = this.#loop.failover?.candidates.find(({ model }) => model.ref === ref);
    if (asked !== undefined) this.#loop = { ...this.#loop, model: asked.model };
  }

  #isOver(): boolean {
    const size = measureContext(this.#loop);
    return isOver(size, size.budget.limit);
  }

  #shortenWhereWorth(size: ContextSize): ContextSize {
    const { context, model } = this.#loop;
    if (context.pruning === undefined || size.tokens <= context.pruning.startRatio * size.budget.window) return size;
    const { saved, beforeId } = planPruning(size.view.messages, context.pruning, model);
    if (!isWorthPruning(saved, size.budget.window)) return size;
    this.#loop.journal.pruned(beforeId);
    return measureContext(this.#loop);
  }

  /** Prunes the results of all but the newest replies. Returns false if that saves nothing. */
  #shorten(keepLastAssistants: number | undefined): boolean {
    const { journal, context, model } = this.#loop;
    const { pruning } = context;
    if (pruning === undefined || keepLastAssistants === undefined) return false;
    const { saved, beforeId } = planPruning(journal.context(), { ...pruning, keepLastAssistants }, model);
    if (saved <= 0) return false;
    journal.pruned(beforeId);
    return true;
  }

  /** Begins the memory flush if it is due and its request still fits. */
  #beginFlush({ tokens, budget, view }: ContextSize): boolean {
    const { journal, context } = this.#loop;
    const fits = tokens <= (budget.limit + budget.window) / 2 && !view.isFull;
    if (context.flush === undefined || !fits || !journal.isFlushDue) return false;
    journal.flushing(context.flush.prompt);
    return true;
  }
}

function isOver({ tokens, view }: ContextSize, limit: number): boolean {
  return tokens > limit || view.isFull;
}

/** Adds to the error of a context that cannot be made smaller what the user can do. */
export function withTooLongHint(reply: AssistantMessage): AssistantMessage {
  if (reply.error === undefined) return reply;
  return { ...reply, error: { ...reply.error, message: `${reply.error.message}\n\n${TOO_LONG_HINT}` } };
}

const TOO_LONG_HINT =
  "The conversation is too long for the model and could not be shortened enough. Use /new to begin another one, or " +
  "/compact to have it summarized once more.";
