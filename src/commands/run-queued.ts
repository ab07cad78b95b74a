import { commandAnswer } from "../session-store/messages.ts";
import type { RunResult } from "../session-store/run-result.ts";
import type { QueuedPort } from "./command.ts";
import { findCommand } from "./index.ts";

/** Carries out a command whose turn has come. Rejects with what the command throws; may be repeated. */
export async function runQueued(
  { name, args }: { name: string; args: string },
  port: QueuedPort,
  signal: AbortSignal,
): Promise<RunResult> {
  const command = findCommand(name);
  // A deployment later than the one that took it in may not have it.
  const isKnown = command?.kind === "queued";
  const text = isKnown ? await command.run(args, port, signal) : `There is no command \`/${name}\` any more.`;
  return { status: "ok", message: commandAnswer(text, Date.now()), texts: [text] };
}
