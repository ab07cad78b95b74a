import { approve } from "./approve.ts";
import type { Command } from "./command.ts";
import { queue } from "./queue.ts";
import { status } from "./status.ts";
import { stop } from "./stop.ts";

/** The commands, in the order in which people see them. */
export const COMMANDS: readonly Command[] = [stop, approve, queue, status];

/** A command as it was typed. */
export interface TypedCommand {
  command: Command;
  args: string;
}

/** The command that a text is; undefined where it is none: unknown commands are text. */
export function readCommand(text: string): TypedCommand | undefined {
  const [, name, args = ""] = /^\/([a-z_]+)(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? [];
  const command = COMMANDS.find((candidate) => candidate.name === name?.toLowerCase());
  return command && { command, args: args.trim() };
}
