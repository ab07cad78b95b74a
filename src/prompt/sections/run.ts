import type { Section } from "../section.ts";

/** Context from a sub-agent's parent, or the instructions of an API client, under a heading that says which. */
export const extraContext: Section = {
  name: "extra-context",
  modes: ["full", "minimal"],
  render(input) {
    if (input.extraContext === undefined || input.extraContext.trim() === "") return undefined;
    const heading = input.mode === "minimal" ? "## Subagent Context" : "## Instructions of the Client";
    return `${heading}\n${input.extraContext}`;
  },
};

/** What the configuration tells the agent about the group. */
export const groupContext: Section = {
  name: "group-context",
  modes: ["full"],
  render: ({ groupPrompt = "" }) => (groupPrompt.trim() === "" ? undefined : `## Group Chat Context\n${groupPrompt}`),
};

/** The heartbeat prompt and how to answer it. It depends only on the agent, so that all turns share it. */
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

/** The facts of this run in one line; always the last section. */
export const runtime: Section = {
  name: "runtime",
  modes: ["full", "minimal"],
  render(input) {
    const { host, os, arch, version, shell } = input.runtime;
    const facts = [
      `agent=${input.agentId}`,
      `session=${input.sessionKey}`,
      `host=${host}`,
      `os=${os}`,
      `arch=${arch}`,
      `version=${version}`,
      `model=${input.model}`,
      ...(shell === undefined ? [] : [`shell=${shell}`]),
      ...(input.channel === undefined ? [] : channelFacts(input.channel)),
      `thinking=${input.thinking}`,
      `reasoning=${input.reasoning} (/reasoning switches what people see of it)`,
    ];
    return `## Runtime\nRuntime: ${facts.join(" | ")}`;
  },
};

function channelFacts(channel: { name: string; capabilities: readonly string[] }): string[] {
  const capabilities = channel.capabilities.length === 0 ? "none" : channel.capabilities.toSorted().join(",");
  return [`channel=${channel.name}`, `capabilities=${capabilities}`];
}
