import type { Section } from "../section.ts";

/** The facts of this run in one line, always the prompt's last. */
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
