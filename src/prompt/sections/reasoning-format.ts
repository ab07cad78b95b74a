import type { Section } from "../section.ts";

/** Tags that keep reasoning apart from the answer, for models whose wire format does not. */
export const reasoningFormat: Section = {
  name: "reasoning-format",
  modes: ["full", "minimal"],
  render: (input) => (input.reasoningTags ? TEXT : undefined),
};

const TEXT = `## Reasoning Format
Put all reasoning inside <think>…</think> and nothing of it elsewhere. Then put the reply inside <final>…</final>: the user sees only what is in <final>.`;
