import { byteLength, head } from "../lib/text.ts";
import type { AssistantPart } from "../models/message.ts";

/** Most characters that a model may say in one reply, reasoning included; whoever says more has lost its way. */
export const MAX_REPLY_CHARS = 1_000_000;
/** Most bytes of a reply's parts as JSON, calls with their arguments and what its provider added included. */
export const MAX_REPLY_BYTES = 1_000_000;

/**
 * The parts of a reply as far as they may be stored. Of a reply that is too large, what does not fit is cut: a text
 * says so, and a call loses its arguments, which makes it fail and say so; what its provider added is left out.
 */
export function boundedParts(parts: readonly AssistantPart[]): AssistantPart[] {
  if (bytesOf(parts) <= MAX_REPLY_BYTES) return [...parts];
  let left = MAX_REPLY_BYTES;
  return parts.flatMap((part) => {
    if (left <= 0) return [];
    const kept = bytesOf(part) <= left ? part : cut(part, left);
    if (kept === undefined) return [];
    left -= bytesOf(kept);
    return [kept];
  });
}

function cut(part: AssistantPart, bytes: number): AssistantPart | undefined {
  if (part.type === "reasoning") return undefined;
  if (part.type === "text") {
    let text = part.text;
    while (bytesOf(text) > bytes) text = head(text, Math.floor(text.length * 0.8));
    return { type: "text", text: `${text}\n\n[${part.text.length - text.length} characters were left out here.]` };
  }
  const { type, callId, tool } = part;
  return { type, callId, tool, args: {}, invalidArgs: `[${bytesOf(part)} bytes, which is too much for one reply.]` };
}

function bytesOf(value: unknown): number {
  return byteLength(JSON.stringify(value));
}
