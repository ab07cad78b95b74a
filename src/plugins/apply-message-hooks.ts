import type { Target } from "../channels/channel.ts";
import { head } from "../lib/text.ts";
import { type AuditLine, changeLine } from "../security/audit-entry.ts";
import type { SessionHooks } from "./session-hooks.ts";

/** Most characters that a text may have after plugins have changed it. */
const MAX_CHARS = 200_000;

/** What is to become of a text on its way out. */
export type VettedMessage = { markdown: string } | { cancelledBy: string };

/** Lets plugins look at a text before it is sent. Each change of it, and a refusal, is on the audit trail. */
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
