import type { StableInput } from "../input.ts";
import type { Section } from "../section.ts";

/** When to speak about a tool call and when just to make it. A provider may say it in its own words. */
export const toolCallStyle: Section<StableInput> = {
  name: "tool-call-style",
  modes: ["full", "minimal"],
  render(input) {
    if (input.provider.replace?.tool_call_style !== undefined) return input.provider.replace.tool_call_style;
    return input.tools.length === 0 ? undefined : TEXT;
  },
};

const TEXT = `## Tool Call Style
- Make routine, low-risk calls silently.
- Say one short sentence first where it helps: work of several steps, a hard problem, a sensitive act such as deleting, or when the user asks.
- Where a tool can do it, use the tool instead of telling the user to run a command.`;
