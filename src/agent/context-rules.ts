import type { Model } from "../models/model.ts";

/** How a conversation is kept within the model's window; sizes in tokens. */
export interface ContextRules {
  /** The largest context, if the model's window is larger. */
  contextTokens: number;
  /** Tokens kept free for the answer; at most a quarter of the window. */
  reserveTokens: number;
  /** How much of the newest messages a compaction keeps. */
  keepRecentTokens: number;
  /** The model that writes summaries; the run's model if undefined. */
  summarizer?: Model;
  /** Absent if results are not pruned. */
  pruning?: PruningRules;
  /** Absent if the agent cannot write memory. */
  flush?: FlushRules;
}

/** How old tool results are pruned. */
export interface PruningRules {
  /** The number of newest replies whose results stay whole. */
  keepLastAssistants: number;
  /** The share of the window from which pruning starts. */
  startRatio: number;
  /** Results of up to this many characters stay whole; a longer one keeps its head and tail. */
  maxChars: number;
  headChars: number;
  tailChars: number;
}

/** The silent turn before a compaction in which the agent saves notes to memory. */
export interface FlushRules {
  /** How many tokens before the compaction it runs. */
  softThresholdTokens: number;
  /** The prompt of the turn. */
  prompt: string;
}

/** The token budget of a request. */
export interface ContextBudget {
  /** Input and output together. */
  window: number;
  /** The largest input; the rest of the window is for the answer. */
  limit: number;
  /** The part of the limit that is left for messages. */
  messages: number;
  /** How much of the newest messages a compaction keeps. */
  keepRecent: number;
  /** The input size from which the memory flush is due. */
  flushAt: number;
}

/**
 * The token budget of requests to a model.
 * @param fixed tokens of everything in a request except messages
 */
export function contextBudget(rules: ContextRules, model: Pick<Model, "contextWindow">, fixed: number): ContextBudget {
  const window = Math.min(model.contextWindow, rules.contextTokens);
  const limit = window - Math.min(rules.reserveTokens, Math.floor(window / 4));
  const messages = Math.max(0, limit - fixed);
  const keepRecent = Math.min(rules.keepRecentTokens, Math.floor(messages / 2));
  const flushAt = limit - Math.min(rules.flush?.softThresholdTokens ?? 0, Math.floor(messages / 4));
  return { window, limit, messages: messages, keepRecent, flushAt };
}
