import { durationText } from "../lib/duration-text.ts";
import { IsopodError } from "../lib/errors.ts";
import type { SubagentView } from "../session-store/subagent.ts";
import type { CommandPort, ImmediateCommand, QueuedCommand } from "./command.ts";

const USAGE = "/subagents [list | info <n> | stop <n | label | all> | send <n | label> <text> | log <n | label>]";

/** `/subagents …`: lists, stops and instructs the sub-agents of this session; `log` is a separate, queued command. */
export const subagents: ImmediateCommand = {
  kind: "immediate",
  name: "subagents",
  summary: "List, stop or instruct sub-agents",
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

function answer(args: string, { subagents }: CommandPort): string {
  const [, verb = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
  switch (verb.toLowerCase()) {
    case "":
    case "list":
      return listed(subagents.list(), subagents.now());
    case "info":
      return details(subagents.find(rest));
    case "stop":
    case "kill":
      if (rest === "") return `Name a sub-agent: \`${USAGE}\`.`;
      return stopped(subagents.stop(rest));
    case "send":
    case "steer": {
      const [, which = "", text = ""] = /^("[^"]+"|\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
      if (text === "") return `Name a sub-agent and add a message: \`${USAGE}\`.`;
      const subagent = subagents.instruct(which.replace(/^"|"$/g, ""), text);
      return `Sent to **${subagent.label}**. Its result will be announced here.`;
    }
    default:
      return `Use \`${USAGE}\`.`;
  }
}

function listed(subagents: readonly SubagentView[], now: number): string {
  if (subagents.length === 0) return "This session has started no sub-agents.";
  const lines = subagents.map(({ label, status, startedAt, endedAt }, index) => {
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

function stopped(subagents: readonly SubagentView[]): string {
  if (subagents.length === 0) return "No sub-agent was running.";
  return `Stopped: ${subagents.map(({ label }) => label).join(", ")}.`;
}

/** `/subagents log <n | label>`: the latest messages of a sub-agent's session. */
export const subagentsLog: QueuedCommand = {
  kind: "queued",
  name: "subagents log",
  summary: "Show the latest messages of a sub-agent",
  usage: "/subagents log <n | label>",
  async run(args, { subagentLog }) {
    if (args === "") return `Name a sub-agent: \`${subagentsLog.usage}\`.`;
    const { label, messages } = await subagentLog(args);
    if (messages.length === 0) return `**${label}** has no messages yet.`;
    const lines = messages.map(({ role, tool, text }) => `- ${tool ?? role}: ${text.replace(/\s+/g, " ")}`);
    return [`**${label}**`, ...lines].join("\n");
  },
};
