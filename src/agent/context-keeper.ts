import type { AssistantMessage } from "../models/message.ts";
import { compact } from "./compact.ts";
import { type Measured, measured } from "./context-size.ts";
import type { LoopDeps } from "./loop-deps.ts";
import { isWorthPruning, pruningOf } from "./pruning.ts";

/** Attempts in a row that did not make enough room, after which none is made any more. */
const MAX_VAIN = 2;
/** How much a context has to grow after such an attempt before another is worth it, as a share of what messages may have. */
const REGROWTH = 0.1;

/**
 * Keeps a conversation within what its model takes, over one run: shortens old results, lets the agent write down what
 * is worth keeping, and has the older part summarized. In this order, and each only where it is needed.
 */
export class ContextKeeper {
  /** With the model that answered last, or refused to: that is not always the one that is wanted. */
  #loop: LoopDeps;
  /** Summaries since the last good reply that did not help. */
  #vain = 0;
  /** Tokens below which none is made before a request, because the last one did not help. */
  #notBelow = 0;

  constructor(loop: LoopDeps) {
    this.#loop = loop;
  }

  /** Makes room where the next request would not fit. It may begin a memory flush, which is the next request then. */
  async makeRoom(signal: AbortSignal): Promise<void> {
    const { journal, context } = this.#loop;
    if (journal.flushReplies !== undefined) return;
    let size = this.#shortenWhereWorth(measured(this.#loop));
    if (!isOver(size, size.budget.flushAt)) return;
    if (this.#shorten(context.pruning?.keepLastAssistants)) size = measured(this.#loop);
    if (isOver(size, size.budget.flushAt) && this.#beginFlush(size)) return;
    if (!isOver(size, size.budget.limit) || size.tokens < this.#notBelow || this.#vain >= MAX_VAIN) return;
    const outcome = await compact(this.#loop, { reason: "threshold" }, signal);
    if (outcome.kind === "done" && !this.#isOver()) return;
    this.#vain++;
    if (this.#isOver()) this.#shorten(0);
    size = measured(this.#loop);
    this.#notBelow = size.tokens + REGROWTH * size.budget.deps;
  }

  /** Makes room after a model refused a request for its size. False where that cannot be done. */
  async recover(refusal: AssistantMessage, signal: AbortSignal): Promise<boolean> {
    this.#asked(refusal);
    if (this.#vain >= MAX_VAIN) return false;
    this.#vain++;
    const { kind } = await compact(this.#loop, { reason: "overflow" }, signal);
    return kind === "done" || (!signal.aborted && this.#shorten(0));
  }

  /** The model has answered: what was done has helped. */
  helped(reply: AssistantMessage): void {
    this.#asked(reply);
    this.#vain = 0;
  }

  /** Others who stand in for a model may take less than it. */
  #asked({ model: ref }: AssistantMessage): void {
    const asked = this.#loop.failover?.candidates.find(({ model }) => model.ref === ref);
    if (asked !== undefined) this.#loop = { ...this.#loop, model: asked.model };
  }

  #isOver(): boolean {
    const size = measured(this.#loop);
    return isOver(size, size.budget.limit);
  }

  #shortenWhereWorth(size: Measured): Measured {
    const { context } = this.#loop;
    if (context.pruning === undefined || size.tokens <= context.pruning.startRatio * size.budget.window) return size;
    const { saved, beforeId } = pruningOf(size.view.messages, context.pruning);
    if (!isWorthPruning(saved, size.budget.window)) return size;
    this.#loop.journal.pruned(beforeId);
    return measured(this.#loop);
  }

  /** Shortens the results of all replies but the newest. False where that saves nothing. */
  #shorten(keepLastAssistants: number | undefined): boolean {
    const { pruning } = this.#loop.context;
    if (pruning === undefined || keepLastAssistants === undefined) return false;
    const { saved, beforeId } = pruningOf(this.#loop.journal.context(), { ...pruning, keepLastAssistants });
    if (saved <= 0) return false;
    this.#loop.journal.pruned(beforeId);
    return true;
  }

  /** Begins the memory flush where it is due and its request still fits. */
  #beginFlush({ tokens, budget, view }: Measured): boolean {
    const { journal, context } = this.#loop;
    const fits = tokens <= (budget.limit + budget.window) / 2 && !view.isFull;
    if (context.flush === undefined || !fits || !journal.isFlushDue) return false;
    journal.flushing(context.flush.prompt);
    return true;
  }
}

function isOver({ tokens, view }: Measured, limit: number): boolean {
  return tokens > limit || view.isFull;
}

/** What nothing more could be done about, said so that a person knows what to do. */
export function outOfRoom(reply: AssistantMessage): AssistantMessage {
  if (reply.error === undefined) return reply;
  return { ...reply, error: { ...reply.error, message: `${reply.error.message}\n\n${OUT_OF_ROOM}` } };
}

const OUT_OF_ROOM =
  "The conversation is too long for the model and could not be shortened enough. Use /new to begin another one, or " +
  "/compact to have it summarized once more.";
