import { byteLength, head } from "../lib/text.ts";
import type { AssistantPart } from "../models/message.ts";

/** The most characters of one reply, reasoning included; a longer reply is a model that repeats itself without end. */
export const MAX_REPLY_CHARS = 1_000_000;
/** The most bytes of a reply's parts as JSON, with call arguments and provider metadata. */
export const MAX_REPLY_BYTES = 1_000_000;

/**
 * The parts of a reply within the storage limit. In a larger reply, a text is cut with a note, a call loses its
 * arguments and so fails with an explanation, and provider metadata is dropped.
 */
export function boundedParts(parts: readonly AssistantPart[]): AssistantPart[] {
  if (jsonBytes(parts) <= MAX_REPLY_BYTES) return [...parts];
  let left = MAX_REPLY_BYTES;
  return parts.flatMap((part) => {
    if (left <= 0) return [];
    const kept = jsonBytes(part) <= left ? part : cut(part, left);
    if (kept === undefined) return [];
    left -= jsonBytes(kept);
    return [kept];
  });
}

function cut(part: AssistantPart, bytes: number): AssistantPart | undefined {
  if (part.type === "reasoning") return undefined;
  if (part.type === "text") {
    let text = part.text;
    while (jsonBytes(text) > bytes) text = head(text, Math.floor(text.length * 0.8));
    return { type: "text", text: `${text}\n\n[${part.text.length - text.length} characters were left out here.]` };
  }
  const { type, callId, tool } = part;
  return { type, callId, tool, args: {}, invalidArgs: `[${jsonBytes(part)} bytes, which is too much for one reply.]` };
}

function jsonBytes(value: unknown): number {
  return byteLength(JSON.stringify(value));
}
