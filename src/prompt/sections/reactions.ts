import { hasTool } from "../input.ts";
import type { Section } from "../section.ts";

/** How often to react with an emoji, where the channel has reactions. */
export const reactions: Section = {
  name: "reactions",
  modes: ["full"],
  render(input) {
    if (input.reactions === undefined || input.channel === undefined) return undefined;
    const how = hasTool(input, "message") ? ": `message` with `react`" : "";
    return `## Reactions\nReactions are on for ${input.channel.name} (${input.reactions})${how}. ${GUIDANCE[input.reactions]}`;
  },
};

const GUIDANCE = {
  minimal:
    "React only when it counts: to acknowledge an important request or to answer real feeling; at most once in five to ten exchanges, never to routine messages or your own.",
  extensive:
    "React whenever it feels natural: to acknowledge, agree, enjoy or show feeling, also in place of a reply that would say nothing more.",
};
