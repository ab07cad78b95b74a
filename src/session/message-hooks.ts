import type { NewRun } from "./admission.ts";
import type { SessionHooks } from "./session-hooks.ts";

/** Tells plugins of a message that was stored, while it goes its way. What the system itself says is none. */
export function tellReceived({ runId, input, target }: NewRun, hooks: SessionHooks): void {
  const { origin, sender, text } = input;
  if (origin !== undefined && origin.kind !== "reset" && origin.kind !== "command") return;
  hooks.later("message_received", () => ({ text, ...(sender && { sender }), ...(target && { target }) }), runId);
}
