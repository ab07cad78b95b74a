import { activation, pair } from "./channel-access.ts";
import type { Command } from "./command.ts";
import { compact, context } from "./context.ts";
import { continueElsewhere } from "./continue.ts";
import { helpOn, skill, whoami } from "./help.ts";
import { mcp } from "./mcp.ts";
import { model } from "./model.ts";
import { reasoning, think, usage, verbose } from "./preference-commands.ts";
import { queue } from "./queue.ts";
import { newConversation, reset } from "./reset.ts";
import { retry } from "./retry.ts";
import { approvals, approve, resendCommand, stop } from "./run-control.ts";
import { heartbeat, jobs, remind } from "./schedule-commands.ts";
import { budget, status } from "./status.ts";
import { subagents, subagentsLog } from "./subagents.ts";

/** The commands, in the order of `/help`. */
export const COMMANDS: readonly Command[] = [
  helpOn(() => COMMANDS),
  newConversation,
  reset,
  compact,
  stop,
  retry,
  approve,
  approvals,
  resendCommand,
  status,
  usage,
  context,
  budget,
  model,
  think,
  reasoning,
  verbose,
  queue,
  subagents,
  subagentsLog,
  continueElsewhere,
  heartbeat,
  jobs,
  remind,
  activation,
  pair,
  mcp,
  whoami,
  skill,
];

/** A typed command, parsed. */
export interface TypedCommand {
  command: Command;
  /** The text after the name, trimmed. */
  args: string;
}

/** A command by its name, which may be two words; undefined if there is none. */
export function findCommand(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === name.toLowerCase());
}

/**
 * `/name args`, `/name@bot args` as typed in groups, and the full-width slash of Chinese keyboards. The channel has
 * already checked that the name after the @ is this agent's.
 */
const TYPED = /^[/／]([a-z_]+)(?:@[\w.-]+)?(?:\s+([\s\S]*))?$/i;

/** Parses a command; undefined if the text is not a known command. */
export function readCommand(text: string): TypedCommand | undefined {
  const [, name = "", args = ""] = TYPED.exec(text.trim()) ?? [];
  const command = findCommand(name);
  const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args.trim()) ?? [];
  const longer = findCommand(`${name} ${word}`);
  if (longer !== undefined) return { command: longer, args: rest };
  return command && { command, args: args.trim() };
}
