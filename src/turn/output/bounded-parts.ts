import type { Target } from "../../channels/channel.ts";
import type { OutboxPart } from "../../session-store/outbox.ts";

/** Most messages that one reply is sent as, its file included. */
export const MAX_PARTS = 10;

/** The name of the file that a longer reply is sent as. */
const FILE_NAME = "reply.md";

/**
 * The parts of a text, bounded: where there are too many, the last one is a file with the whole text.
 * @param text the whole, in Markdown
 * @param most how many there may be, at least one
 */
export function boundedParts(
  parts: readonly OutboxPart[],
  { text, target, most }: { text: string; target: Target; most: number },
): OutboxPart[] {
  if (parts.length <= most) return [...parts];
  return [...parts.slice(0, most - 1), { target, text, source: { kind: "whole", name: FILE_NAME } }];
}
