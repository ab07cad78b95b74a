import type { Target } from "../channels/channel.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import type { RunInput } from "../session-store/run.ts";

/** Runs the `command` hooks of a queued command, in the commit that starts its run. */
export function runQueuedCommandHooks(
  run: { id: string; target: Target | null },
  input: RunInput,
  hooks: SessionHooks,
): void {
  const { origin } = input;
  if (origin?.kind === "command" || origin?.kind === "reset") runCommandHooks(run, input, origin, hooks);
}

/** Runs the `command` hooks of a command, in the commit that records it. */
export function runCommandHooks(
  { id, target }: { id: string; target: Target | null },
  { sender }: Pick<RunInput, "sender">,
  { name, args }: { name: string; args: string },
  hooks: SessionHooks,
): void {
  const who = sender?.id ?? "unknown";
  const by = target === null ? who : `${target.channel}:${who}`;
  hooks.runSync("command", { name, args, by, source: target?.channel ?? "api" }, id);
}
