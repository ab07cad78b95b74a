import type { QueuedCommand } from "./command.ts";

const USAGE = "/continue <channel>";

/** `/continue <channel>`: goes on in the owner's own conversation on another channel. */
export const continueElsewhere: QueuedCommand = {
  kind: "queued",
  name: "continue",
  summary: "Go on in your chat on another channel",
  usage: USAGE,
  async run(args, { otherChats }, signal) {
    const [wanted = "", ...more] = args.toLowerCase().split(/\s+/);
    const chats = await otherChats.list();
    const names = chats.map(({ channel }) => `\`${channel}\``).join(", ");
    if (wanted === "" || more.length > 0) {
      return chats.length === 0
        ? "You are known on no other channel. `/pair` shows who is known where."
        : `Use \`${USAGE}\`: ${names}.`;
    }
    const chat = chats.find(({ channel }) => channel === wanted);
    if (chat === undefined) {
      const instead = chats.length === 0 ? "nor on any other" : `only on ${names}`;
      return `You are not known as an owner on \`${wanted}\`, ${instead}. Write to the agent there first.`;
    }
    await otherChats.write(chat, signal);
    return `Go on in your chat on ${chat.channel}: what was said here is known there.`;
  },
};
