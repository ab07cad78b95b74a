import { z } from "zod";
import type { Target } from "../channel.ts";

/** What an answer repeats of a mail. */
const replyContext = z.object({
  /** The address that was written to: the answer is from it. */
  from: z.string(),
  subject: z.string(),
  /** The ids of the thread's mails, oldest first, without angle brackets; the last is the mail that is answered. */
  thread: z.array(z.string()),
});

export type ReplyContext = z.output<typeof replyContext>;

/** The context of a target; undefined if it answers no mail. */
export function readReplyContext({ replyContext: stored }: Pick<Target, "replyContext">): ReplyContext | undefined {
  return replyContext.safeParse(stored).data;
}

/** Longest subject that is kept, in UTF-16 units, and most ids of a thread. */
export const MAX_SUBJECT_UNITS = 300;
const MAX_THREAD = 20;
/** Longest value of a header field that Cloudflare sends, in bytes. */
const MAX_FIELD_BYTES = 2048;

/** The ids of a thread within bounds: the first, which names it, and the last ones. */
export function boundedThread(ids: readonly string[]): string[] {
  const once = [...new Set(ids)];
  return once.length <= MAX_THREAD ? once : [...once.slice(0, 1), ...once.slice(1 - MAX_THREAD)];
}

/** The header fields that put an answer into its thread. */
export function threadFields(thread: readonly string[]): Record<string, string> {
  const last = thread.at(-1);
  if (last === undefined) return {};
  const kept = [...thread];
  const references = () => kept.map((id) => `<${id}>`).join(" ");
  // The first and the last matter most.
  while (references().length > MAX_FIELD_BYTES && kept.length > 1) kept.splice(kept.length > 2 ? 1 : 0, 1);
  return { "In-Reply-To": `<${last}>`, References: references() };
}

/** The ids in a field such as References, without angle brackets: of plain ASCII, so that they may stand in a field. */
export function mailIds(field: string | undefined): string[] {
  return Array.from((field ?? "").matchAll(/<([!-;=?-~]{1,250})>/g), ([, id = ""]) => id);
}
