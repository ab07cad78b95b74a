import { type ChannelFacts, hasTool, type PromptInput } from "../input.ts";
import { joinLines, type Section } from "../section.ts";

/** Where the reply is sent, and how to reach other people, sessions and sub-agents. */
export const messaging: Section = {
  name: "messaging",
  modes: ["full"],
  render(input) {
    const has = (name: string) => hasTool(input, name);
    const guidance = joinLines(
      input.channel !== undefined && replyRouting(input, input.channel),
      has("message") &&
        "- Use `message` to send on your own initiative and for channel actions; do not say again in the reply what it sent.",
      has("sessions_send") && "- Use `sessions_send` to talk to another session.",
      has("subagents") && "- Use `subagents` to list, steer or stop the sub-agents that you started.",
      (has("sessions_spawn") || has("cron") || has("exec")) &&
        "- Notices that work has ended are for you: tell the user the outcome in your own words, never paste the notice.",
      (has("message") || has("exec")) &&
        "- Never reach a chat platform by a command or a request of your own; routing is done for you.",
      ...(input.channel === undefined ? [] : channelAbilities(input, input.channel)),
    );
    return guidance === "" ? undefined : `## Messaging\n${guidance}`;
  },
};

const PLACE: Record<ChannelFacts["kind"], string> = {
  direct: "a direct conversation",
  group: "a group, in which several people read along,",
  channel: "a room, in which several people read along,",
};

function replyRouting(input: PromptInput, channel: ChannelFacts): string {
  const place = `- This session is ${PLACE[channel.kind]} on ${channel.name}.`;
  return channel.replies === "message-tool" && hasTool(input, "message")
    ? `${place} The text of your reply stays private: whatever people should see, send with \`message\`.`
    : `${place} Your reply is delivered there by itself.`;
}

function channelAbilities(input: PromptInput, channel: ChannelFacts): (string | false)[] {
  const can = (capability: string) => channel.capabilities.includes(capability);
  return [
    hasTool(input, "message") &&
      (can("inline-buttons")
        ? "- Inline buttons work here: give `message` rows of them when a choice is easier to tap than to type."
        : "- Inline buttons do not work here: offer choices as text."),
    hasTool(input, "exec") &&
      (can("approvals")
        ? "- Approvals have native buttons here: rely on them. Write an /approve command only when a tool result says that chat approval is unavailable or that a manual one is the only way."
        : "- When a tool result asks for approval, give the user its exact /approve command and wait. Never approve for them."),
  ];
}
