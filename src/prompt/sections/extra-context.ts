import type { Section } from "../section.ts";

/** What a group's configuration or a sub-agent's parent adds, under the heading that says whose it is. */
export const extraContext: Section = {
  name: "extra-context",
  modes: ["full", "minimal"],
  render(input) {
    if (input.extraContext === undefined || input.extraContext.trim() === "") return undefined;
    const heading = input.mode === "minimal" ? "## Subagent Context" : "## Group Chat Context";
    return `${heading}\n${input.extraContext}`;
  },
};
