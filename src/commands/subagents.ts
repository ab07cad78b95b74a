import { durationText } from "../lib/duration-text.ts";
import { IsopodError } from "../lib/errors.ts";
import type { SubagentView } from "../session-store/subagent.ts";
import type { CommandPort, ImmediateCommand } from "./command.ts";

const USAGE = "/subagents [list | info <n> | stop <n | label | all> | send <n | label> <text> | log <n | label>]";

/** `/subagents …`: looks after the sub-agents of this session; `log`, which has to ask them, is a command of its own. */
export const subagents: ImmediateCommand = {
  kind: "immediate",
  name: "subagents",
  summary: "List, stop or steer the sub-agents of this session",
  usage: USAGE,
  run(args, session) {
    try {
      return answer(args, session);
    } catch (error) {
      if (error instanceof IsopodError) return error.message;
      throw error;
    }
  },
};

function answer(args: string, { subagents: children }: CommandPort): string {
  const [, verb = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
  switch (verb.toLowerCase()) {
    case "":
    case "list":
      return listed(children.list(), children.now());
    case "info":
      return details(children.find(rest));
    case "stop":
    case "kill":
      if (rest === "") return `Say which one: \`${USAGE}\`.`;
      return stopped(children.stop(rest));
    case "send":
    case "steer": {
      const [, which = "", text = ""] = /^("[^"]+"|\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
      if (text === "") return `Say to which one, and what: \`${USAGE}\`.`;
      const child = children.tell(which.replace(/^"|"$/g, ""), text);
      return `**${child.label}** is told. Its result will be announced.`;
    }
    default:
      return `Use \`${USAGE}\`.`;
  }
}

function listed(children: readonly SubagentView[], now: number): string {
  if (children.length === 0) return "This session has started no sub-agents.";
  const lines = children.map(({ label, status, startedAt, endedAt }, index) => {
    return `${index + 1}. **${label}**: ${status}, ${durationText((endedAt ?? now) - startedAt)}`;
  });
  return lines.join("\n");
}

function details({ label, status, sessionKey, runId, agentId, task }: SubagentView): string {
  return [
    `**${label}**: ${status}`,
    `Agent: ${agentId}`,
    `Session: \`${sessionKey}\``,
    `Run: \`${runId}\``,
    `Task: ${task}`,
  ].join("\n");
}

function stopped(children: readonly SubagentView[]): string {
  if (children.length === 0) return "No sub-agent was at work.";
  return `Stopped: ${children.map(({ label }) => label).join(", ")}.`;
}
