import type { Section } from "../section.ts";

/** What matters most of an AGENTS.md that is not in the prompt whole, once the conversation was summarized. */
export const agentsRefresh: Section = {
  name: "agents-refresh",
  modes: ["full", "minimal"],
  render({ agentsRefresh: sections }) {
    if (sections === undefined) return undefined;
    return `## AGENTS.md, Again\nEarlier messages were summarized. These rules of AGENTS.md still hold; carry out its startup steps anew where they matter now.\n\n${sections}`;
  },
};
