import { head } from "../../lib/text.ts";
import type { OutboxRow } from "../../session-store/outbox.ts";

/** Most characters of a lost message that a notice shows. */
const MAX_SHOWN_CHARS = 80;

/**
 * Tells a conversation of messages that did not arrive, or may not have, as Markdown; undefined if there are none.
 * @param plain removes the channel's markup from a part
 */
export function lostNotice(rows: readonly OutboxRow[], plain: (part: string) => string): string | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const text = plain(first.text).replace(/\s+/g, " ").trim();
  const begins = `“${head(text, MAX_SHOWN_CHARS)}${text.length > MAX_SHOWN_CHARS ? " …" : ""}”`;
  const what = rows.length === 1 ? "An earlier message" : `${rows.length} earlier messages`;
  const how = rows.every(({ status }) => status === "failed") ? "did not arrive" : "may not have arrived";
  const reason = first.detail && "reason" in first.detail ? ` (${first.detail.reason})` : "";
  const which = rows.length === 1 ? begins : `the first begins ${begins}`;
  return `⚠️ ${what} ${how}${reason}: ${which}. \`/resend\` sends ${rows.length === 1 ? "it" : "them"} again.`;
}
