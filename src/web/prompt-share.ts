import type { Prompt } from "../client/wire.ts";

/** A part of a request to a model, as the bar shows it. */
export type Part = "rules" | "files" | "turn" | "tools" | "conversation";

/** The tokens of a part. */
export interface Share {
  part: Part;
  tokens: number;
}

/** The non-empty parts of a prompt with their tokens: the stable parts first, the conversation last. */
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
