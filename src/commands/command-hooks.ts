import type { Target } from "../channels/channel.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import type { RunInput } from "../session-store/run.ts";

/** Tells plugins of a command that has come to its turn, within the commit that begins it. */
export function runQueuedCommandHooks(
  run: { id: string; target: Target | null },
  input: RunInput,
  hooks: SessionHooks,
): void {
  const { origin } = input;
  if (origin?.kind === "command" || origin?.kind === "reset") runCommandHooks(run, input, origin, hooks);
}

/** Tells plugins of a command, within the commit that records it. */
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
