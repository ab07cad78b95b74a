import type { Target } from "../channels/channel.ts";
import { head } from "../lib/text.ts";
import type { RunInput } from "./run.ts";

/**
 * Who talks where, with which rights, which model and under which instructions, as one text. Messages share a run only
 * where this is equal: else a reply would go astray, a stranger's words would be acted on with an owner's tools, or what
 * a caller asked of the model for one message would be lost.
 */
export function mergeKeyOf(input: RunInput, target: Target | null): string {
  const { sender, model = "", thinking = "", extraContext = "" } = input;
  const where = target && [target.channel, target.accountId, target.conversationId, target.threadId ?? ""];
  const instructions = extraContext === "" ? [] : [printOf(extraContext)];
  return JSON.stringify([where, sender?.owner === true, model, thinking, ...instructions]);
}

/**
 * A text's length and its 32-bit FNV-1a, because the platform's own digests are not there within a commit. It need not
 * withstand anybody: whoever sets instructions is an owner, and two that look alike share a run as any two messages do.
 */
function printOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length}:${(hash >>> 0).toString(36)}`;
}

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
