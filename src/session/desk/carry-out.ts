import type { QueuedPort } from "../commands/command.ts";
import { findCommand } from "../commands/index.ts";
import type { Conclusion } from "../run/conclusion.ts";
import { commandAnswer } from "../run/messages.ts";

/** Carries out a command whose turn has come. Rejects with what the command throws; may be repeated. */
export async function carryOut(
  { name, args }: { name: string; args: string },
  port: QueuedPort,
  signal: AbortSignal,
): Promise<Conclusion> {
  const command = findCommand(name);
  // A deployment later than the one that took it in may not have it.
  const isKnown = command?.kind === "queued";
  const text = isKnown ? await command.run(args, port, signal) : `There is no command \`/${name}\` any more.`;
  return { status: "ok", message: commandAnswer(text, Date.now()), texts: [text] };
}
