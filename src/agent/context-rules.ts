import type { Model } from "../models/model.ts";

/** How a conversation is kept within what its model takes; sizes in tokens. */
export interface ContextRules {
  /** Most tokens of a context, where the model's window is larger. */
  contextTokens: number;
  /** What stays free for the answer; at most a quarter of the window. */
  reserveTokens: number;
  /** How much of the newest messages a summary leaves as it is. */
  keepRecentTokens: number;
  /** Who writes summaries; undefined means who answers. */
  summarizer?: Model;
  /** Absent where results are not to be shortened. */
  pruning?: PruningRules;
  /** Absent where the agent has no memory to write to. */
  flush?: FlushRules;
}

/** How old results are shortened. */
export interface PruningRules {
  /** Newest replies whose results stay whole. */
  keepLastAssistants: number;
  /** Share of the window from which on it is done. */
  startRatio: number;
  /** Results up to this many characters stay whole; of a longer one its beginning and its end do. */
  maxChars: number;
  headChars: number;
  tailChars: number;
}

/** The silent turn before a summary, in which the agent writes down what is worth keeping. */
export interface FlushRules {
  /** How many tokens earlier. */
  softThresholdTokens: number;
  /** What it is asked. */
  prompt: string;
}

/** What there is to spend on a request; in tokens. */
export interface Budget {
  /** Input and answer together. */
  window: number;
  /** Most input; what is free beyond it is for the answer. */
  limit: number;
  /** What of that is left for messages. */
  deps: number;
  /** How much of the newest messages a summary leaves as it is. */
  keepRecent: number;
  /** Input from which on the memory flush is due. */
  flushAt: number;
}

/**
 * The budget of requests to a model.
 * @param fixed tokens of what every request carries besides messages
 */
export function budgetOf(rules: ContextRules, model: Pick<Model, "contextWindow">, fixed: number): Budget {
  const window = Math.min(model.contextWindow, rules.contextTokens);
  const limit = window - Math.min(rules.reserveTokens, Math.floor(window / 4));
  const deps = Math.max(0, limit - fixed);
  const keepRecent = Math.min(rules.keepRecentTokens, Math.floor(deps / 2));
  const flushAt = limit - Math.min(rules.flush?.softThresholdTokens ?? 0, Math.floor(deps / 4));
  return { window, limit, deps, keepRecent, flushAt };
}
