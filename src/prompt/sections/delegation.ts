import { hasTool } from "../input.ts";
import type { Section } from "../section.ts";

/** To hand work to sub-agents, where the configuration prefers that and policy allows it. */
export const delegation: Section = {
  name: "delegation",
  modes: ["full"],
  render: (input) => (input.delegation === "prefer" && hasTool(input, "sessions_spawn") ? TEXT : undefined),
};

const TEXT = `## Sub-Agent Delegation
Be a coordinator who stays responsive. Answer yourself only what a direct reply settles; push everything more involved out with \`sessions_spawn\`, giving the sub-agent the goal, the context and what to report. Then tell the user that it is under way, and pass the result on when it is announced.`;
