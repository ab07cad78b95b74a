import type { Spawned } from "../session-store/run.ts";

/**
 * The part of the prompt that describes a sub-agent's role. Its task is the first message of the conversation.
 * @param maySpawn whether it may have sub-agents itself
 */
export function subagentContext({ lineage, label }: Spawned, maySpawn: boolean): string {
  return [
    `You are the sub-agent "${label}", started by the session ${lineage[0] ?? "of somebody else"} for one task: the first message of this conversation.`,
    "- Do that task, all of it, and nothing besides. Leave side quests alone.",
    "- Nobody reads along who could answer. Where something is open, decide, and say in the result what you assumed.",
    "- Your last reply is the result. It is reported to who started you by itself: send it to nobody, and wait for nobody.",
    "- Put into it what was found or done, where it is, what is left, and what went wrong. No greetings.",
    "- More of the task, or a change of it, may come as another message while you work.",
    ...(maySpawn
      ? [
          "- Parts that can be done apart you may give to sub-agents of your own. End your turn when nothing else is to be done: their results come to you as messages, and your result is reported when all of them have ended.",
        ]
      : []),
  ].join("\n");
}
