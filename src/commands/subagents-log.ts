import type { QueuedCommand } from "./command.ts";

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
