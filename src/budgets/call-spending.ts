import { fixedTokens, messagesTokens } from "../agent/context-size.ts";
import { estimateTokens } from "../lib/tokens.ts";
import { NO_USAGE, type Usage } from "../models/message.ts";
import type { Model, ModelReply, ModelRequest } from "../models/model.ts";
import { costOf, type Price } from "../models/price.ts";

/** Tokens that an answer is expected to have: more than most, far less than a model may say. */
const EXPECTED_OUTPUT = 2000;

/** What counts against caps of one call. */
export interface Spent {
  tokens: number;
  /** Millionths of a US dollar; 0 where no price is known. */
  micros: number;
}

/** Tokens that a call is likely to use. */
export function expectedUsage(model: Model, { system, tools, messages, maxOutputTokens }: ModelRequest): Usage {
  const output = Math.min(EXPECTED_OUTPUT, maxOutputTokens ?? model.maxOutputTokens);
  return { ...NO_USAGE, input: fixedTokens(system, tools) + messagesTokens(messages), output };
}

/**
 * Tokens that a call has used. Where its provider did not come to count them (somebody hung up, or it never does), they
 * are estimated, so that a budget is not got round; a call that failed before anything was said cost nothing.
 */
export function usageSpent({ usage, stop, parts }: ModelReply, expected: Usage): Usage {
  if (usage.input + usage.output > 0) return usage;
  if (stop === "error" && parts.length === 0) return NO_USAGE;
  return { ...NO_USAGE, input: expected.input, output: estimateTokens(JSON.stringify(parts)) };
}

/** Tokens and money of a call. */
export function spentOn(usage: Usage, price: Price | undefined): Spent {
  return { tokens: usage.input + usage.output, micros: price === undefined ? 0 : costOf(usage, price) };
}
