import type { Prompt } from "../client/wire.ts";

/** What a request to a model is made of, as the bar shows it. */
export type Part = "rules" | "files" | "turn" | "tools" | "conversation";

/** How many tokens a part takes. */
export interface Share {
  part: Part;
  tokens: number;
}

/** What the parts of a prompt take, without those that take nothing: what stays the same first, the conversation last. */
export function promptShares({ sections, totals, messages }: Prompt): Share[] {
  const files = sections.find(({ name }) => name === "project-context")?.tokens ?? 0;
  const shares: Share[] = [
    { part: "rules", tokens: totals.above.tokens - files },
    { part: "files", tokens: files },
    { part: "turn", tokens: totals.below.tokens },
    { part: "tools", tokens: totals.tools.tokens },
    { part: "conversation", tokens: messages?.tokens ?? 0 },
  ];
  return shares.filter(({ tokens }) => tokens > 0);
}
