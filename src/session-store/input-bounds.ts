import { head } from "../lib/text.ts";
import type { RunInput } from "./run.ts";

/** Most characters of what somebody says at once; as JSON it always fits into a row. */
export const MAX_INPUT_CHARS = 200_000;

/** Most characters of what a run is told beside it. */
export const MAX_EXTRA_CONTEXT_CHARS = 100_000;

/** What a run is asked, as it may be stored: without halves of surrogate pairs, which some models refuse, and cut. */
export function boundedInput(input: RunInput): RunInput {
  const { extraContext } = input;
  return {
    ...input,
    text: bounded(input.text, MAX_INPUT_CHARS),
    ...(extraContext !== undefined && { extraContext: bounded(extraContext, MAX_EXTRA_CONTEXT_CHARS) }),
  };
}

function bounded(raw: string, max: number): string {
  const text = raw.toWellFormed();
  const kept = head(text, max);
  if (kept.length === text.length) return text;
  return `${kept}\n\n[${text.length - kept.length} more characters were left out here.]`;
}
