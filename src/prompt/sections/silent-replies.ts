import type { Section } from "../section.ts";

/** How to stay silent: only where a group or room would otherwise be sent every reply. */
export const silentReplies: Section = {
  name: "silent-replies",
  modes: ["full"],
  render(input) {
    const { channel } = input;
    return channel === undefined || channel.kind === "direct" || channel.replies !== "automatic" ? undefined : TEXT;
  },
};

const TEXT = `## Silent Replies
When there is nothing for you to say, reply with exactly NO_REPLY.
It must be the whole reply: never beside other text, never in quotes, Markdown or code.`;
