/** The names of the chat commands, in the order in which people see them. No skill's command may have one of them. */
export const COMMAND_NAMES = [
  "help",
  "new",
  "reset",
  "compact",
  "stop",
  "retry",
  "approve",
  "approvals",
  "resend",
  "status",
  "usage",
  "context",
  "budget",
  "model",
  "think",
  "reasoning",
  "verbose",
  "queue",
  "subagents",
  "subagents log",
  "continue",
  "heartbeat",
  "jobs",
  "remind",
  "activation",
  "pair",
  "whoami",
  "skill",
] as const;

/** The name of a chat command: what comes after the slash. */
export type CommandName = (typeof COMMAND_NAMES)[number];
