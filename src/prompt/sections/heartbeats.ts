import type { Section } from "../section.ts";

/** What a heartbeat asks and how to answer it. It depends on the agent only, so heartbeat turns have it as others do. */
export const heartbeats: Section = {
  name: "heartbeats",
  modes: ["full"],
  render(input) {
    if (input.heartbeatPrompt === undefined) return undefined;
    return `## Heartbeats
Heartbeat prompt: ${input.heartbeatPrompt}
When a message asks this and nothing needs attention, reply exactly HEARTBEAT_OK.
When something does need attention, reply with the alert alone and leave HEARTBEAT_OK out.`;
  },
};
