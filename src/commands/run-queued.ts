import { commandAnswer } from "../session-store/messages.ts";
import type { RunResult } from "../session-store/run-result.ts";
import type { QueuedPort } from "./command.ts";
import { findCommand } from "./index.ts";

/** Runs a queued command. Rejects with the error of the command; may be repeated. */
export async function runQueued(
  { name, args }: { name: string; args: string },
  port: QueuedPort,
  signal: AbortSignal,
): Promise<RunResult> {
  const command = findCommand(name);
  // It may have been accepted by another version of Isopod that had more commands.
  const isKnown = command?.kind === "queued";
  const text = isKnown ? await command.run(args, port, signal) : `The command \`/${name}\` does not exist.`;
  return { status: "ok", message: commandAnswer(text, Date.now()), texts: [text] };
}
