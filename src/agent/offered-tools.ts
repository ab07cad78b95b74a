import type { Message, ToolCallPart } from "../models/message.ts";
import type { ToolSchema } from "../models/model.ts";
import type { LoopDeps } from "./loop-deps.ts";
import { toolSchema } from "./tool.ts";

type Tools = Pick<LoopDeps, "tools" | "clientTools">;

/** The schemas that a request carries: the agent's, then those of the client; of two with one name, the agent's. */
export function offeredTools(
  { tools, offers = () => tools, clientTools = [] }: Tools & Pick<LoopDeps, "offers">,
  messages: readonly Message[],
): ToolSchema[] {
  return [
    ...offers(messages).map(toolSchema),
    ...clientTools.filter(({ name }) => !tools.some((tool) => tool.name === name)),
  ];
}

/** Whether the client runs a call: it names one of its tools, with arguments that are a JSON object. */
export function isClientCall({ tools, clientTools = [] }: Tools, { tool, invalidArgs }: ToolCallPart): boolean {
  const isNamed = (one: { name: string }) => one.name === tool;
  return invalidArgs === undefined && clientTools.some(isNamed) && !tools.some(isNamed);
}
