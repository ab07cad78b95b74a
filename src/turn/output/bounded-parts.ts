import type { Target } from "../../channels/channel.ts";
import type { OutboxPart } from "../../session-store/outbox.ts";

/** Most messages that one reply is sent as, its file included. */
export const MAX_PARTS = 10;

/** The name of the file with the rest of a longer reply. */
const FILE_NAME = "reply.txt";

/**
 * The parts of a reply, bounded: where there are too many, the last one is a file with the rest.
 * @param most how many there may be, at least one
 * @param plain removes the channel's markup from a part
 */
export function boundedParts(
  parts: readonly OutboxPart[],
  { target, most, plain }: { target: Target; most: number; plain: (part: string) => string },
): OutboxPart[] {
  if (parts.length <= most) return [...parts];
  const rest = parts.slice(most - 1).map(({ text, source }) => (source?.kind === "rest" ? text : plain(text)));
  return [...parts.slice(0, most - 1), { target, text: rest.join("\n"), source: { kind: "rest", name: FILE_NAME } }];
}
