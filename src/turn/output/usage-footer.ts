import { addUsage, NO_USAGE, type Usage } from "../../models/message.ts";
import type { RunResult } from "../../session-store/run-result.ts";
import type { Preferences } from "../../session-store/session-settings.ts";
import { moneyText, tokenText } from "./amount-text.ts";

/**
 * Adds a usage footer to the last text of a run's result where it is enabled: its tokens and, in `full`, its estimated
 * cost and model. If all text was sent in blocks, the footer is a text of its own; without any text there is none.
 * @param before the run's usage without its last reply
 */
export function withUsage(
  result: RunResult,
  before: Usage,
  { mode, isBegun }: { mode: Preferences["usage"]; isBegun: boolean },
): RunResult {
  const { message, texts } = result;
  const last = texts.at(-1);
  if (mode === "off" || (last === undefined && !isBegun)) return result;
  const told = `*${footer(addUsage(before, message?.usage ?? NO_USAGE), message?.model, mode)}*`;
  return { ...result, texts: [...texts.slice(0, -1), last === undefined ? told : `${last}\n\n${told}`] };
}

function footer(usage: Usage, model: string | undefined, mode: "tokens" | "full"): string {
  const tokens = `${tokenText(usage.input)} tokens in, ${tokenText(usage.output)} out`;
  if (mode === "tokens") return tokens;
  const cost = usage.costMicros === undefined ? [] : [`about ${moneyText(usage.costMicros)}`];
  return [tokens, ...cost, ...(model === undefined ? [] : [model])].join(" · ");
}
