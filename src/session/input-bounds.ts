import { head } from "../lib/text.ts";
import type { RunInput } from "./run.ts";

/** Most characters of what somebody says at once; as JSON it always fits into a row. */
export const MAX_INPUT_CHARS = 200_000;

/** What a run is asked, as it may be stored: without halves of surrogate pairs, which some models refuse, and cut. */
export function boundedInput(input: RunInput): RunInput {
  const text = input.text.toWellFormed();
  const kept = head(text, MAX_INPUT_CHARS);
  if (kept.length === text.length) return { ...input, text };
  return { ...input, text: `${kept}\n\n[${text.length - kept.length} more characters were left out here.]` };
}
