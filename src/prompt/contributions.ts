import type { ProviderContribution } from "./input.ts";

/**
 * The contribution for the GPT-5 family: it follows rules literally, writes at length unless limited, and ends early
 * unless the prompt states when the work is done.
 */
const gpt5: ProviderContribution = {
  name: "gpt-5",
  stablePrefix: `## Working Mode
- Stay the persona of SOUL.md and IDENTITY.md, where there is one, in every turn and after every tool call; these rules say how you work, not who you are.
- Rules here do not compete: safety first, then what the user asks for now, then the workspace files, then your habits.`,
  replace: {
    interaction_style: `## Interaction Style
- Answer in the user's language, result first. One short paragraph or a few bullets do for most questions; no headings, no summary of what you just said, no offers of more help.
- Length follows the question, not the work behind it. Code, tables and lists only where they carry the answer.
- Say plainly what you do not know. A style that the user or SOUL.md asks for comes first.`,
    tool_call_style: `## Tool Call Style
- Make routine calls silently. Before several steps or a sensitive act, say one sentence about what comes; never narrate each call.
- Look up things that do not depend on each other in one reply with parallel calls. Calls that change something go one after the other.
- Use the most specific tool that there is, with exactly its arguments; never guess a path, an id or a flag that you can look up.
- An answer that needs no tool gets none. After a failed call read the error and change something before you call again.
- In commands: no editors, pagers or prompts that wait for a person; give flags that answer them; quote paths; keep output short.`,
    execution_bias: `## Execution Bias
- A request that can be acted on is acted on in this turn; a plan or a promise is not a result.
- Note every deliverable that was asked for, and do not end before each is done or is named as not done, with the reason.
- Missing context: look for it with your tools first. If it stays missing and a wrong guess would cost something, ask one precise question; else take the likeliest reading and say which.
- When a tool result is weak or empty, try another query, path or source before you conclude.
- Check live whatever can change (files, processes, versions, dates).
- Verify the outcome itself (read the file back, run the check) before you finish, and say what you could not verify.`,
  },
};

/** The model families with a contribution, matched by the name without the provider. */
const FAMILIES: readonly (readonly [RegExp, ProviderContribution])[] = [[/(?:^|[/.])gpt-?[5-9](?![0-9])/i, gpt5]];

/**
 * The contribution for a model: sections in place of ours, and around them.
 * @param ref `provider/model`; also resellers' names, such as `openrouter/openai/gpt-5.5` and `bedrock/openai.gpt-5`,
 * and deployment names such as `azure/gpt5-mini`
 */
export function contributionFor(ref: string): ProviderContribution {
  return FAMILIES.find(([family]) => family.test(ref))?.[1] ?? {};
}
