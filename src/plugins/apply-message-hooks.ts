import type { Target } from "../channels/channel.ts";
import { head } from "../lib/text.ts";
import { type AuditLine, changeLine } from "../security/audit-entry.ts";
import type { SessionHooks } from "./session-hooks.ts";

/** Longest text after changes by plugins, in UTF-16 units. */
const MAX_CHARS = 200_000;

/** The text to send, or the plugin that cancelled it. */
export type VettedMessage = { markdown: string } | { cancelledBy: string };

/** Applies the hooks of an outgoing text. Each change and cancellation is on the audit trail. */
export async function applyMessageHooks(
  content: string,
  target: Target,
  runId: string,
  hooks: SessionHooks,
): Promise<VettedMessage> {
  const { event, merged, answers } = await hooks.run("message_sending", { content, target }, runId);
  const lines: AuditLine[] = [];
  let before = content;
  for (const { by, answer } of answers) {
    const line = (detail: string): AuditLine => ({ kind: "message", runId, by, subject: target.channel, detail });
    if (answer.content !== undefined && answer.content !== before) {
      lines.push(await changeLine(line("content"), before, answer.content));
      before = answer.content;
    }
    if (answer.cancel === true) lines.push(line("cancelled"));
  }
  hooks.audit.write(lines);
  if (merged?.cancel === true) return { cancelledBy: answers.at(-1)?.by ?? "a plugin" };
  return { markdown: event.content === content ? content : head(event.content.toWellFormed(), MAX_CHARS) };
}
