import type { ImmediateCommand } from "./command.ts";

/** `/whoami`: the id of the sender, the channel and the session. */
export const whoami: ImmediateCommand = {
  kind: "immediate",
  name: "whoami",
  summary: "Show your user id, channel and session",
  usage: "/whoami",
  run(_args, session) {
    const { sender, target } = session.asker();
    const name = sender?.name === undefined ? "" : ` (${sender.name})`;
    const place = target === null ? "the API or the page" : `${target.channel}, account \`${target.accountId}\``;
    const where = target === null ? "" : `\nConversation: ${target.kind} \`${target.conversationId}\``;
    return [
      `You are \`${sender?.id ?? "unknown"}\`${name}, an owner.`,
      `You write through ${place}.${where}`,
      `Session: \`${session.status().sessionKey}\``,
    ].join("\n");
  },
};
