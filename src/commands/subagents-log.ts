import type { QueuedCommand } from "./command.ts";

/** `/subagents log <n | label>`: what was said last in a sub-agent's session. */
export const subagentsLog: QueuedCommand = {
  kind: "queued",
  name: "subagents log",
  summary: "Show what a sub-agent has said last",
  usage: "/subagents log <n | label>",
  async run(args, { subagentLog }) {
    if (args === "") return `Say which one: \`${subagentsLog.usage}\`.`;
    const { label, messages } = await subagentLog(args);
    if (messages.length === 0) return `**${label}** has said nothing yet.`;
    const lines = messages.map(({ role, tool, text }) => `- ${tool ?? role}: ${text.replace(/\s+/g, " ")}`);
    return [`**${label}**`, ...lines].join("\n");
  },
};
