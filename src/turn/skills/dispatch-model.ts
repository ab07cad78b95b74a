import { type AssistantPart, NO_USAGE, type StopReason } from "../../models/message.ts";
import type { Model, ModelEvent } from "../../models/model.ts";

/** Who "answers" where a command goes to a tool. */
const DISPATCH_MODEL = "skill/dispatch";

/** What a command has a tool do. */
export interface Dispatch {
  callId: string;
  tool: string;
  args: Extract<AssistantPart, { type: "tool-call" }>["args"];
}

/** Stands where a model does: it asks for one call, and once that has its result it says nothing more. It costs nothing. */
export function dispatchModel({ callId, tool, args }: Dispatch): Model {
  return {
    ref: DISPATCH_MODEL,
    contextWindow: Number.MAX_SAFE_INTEGER,
    maxOutputTokens: 0,
    price: { input: 0, output: 0 },
    async *stream({ messages }, signal): AsyncGenerator<ModelEvent> {
      const isCalled = messages.at(-1)?.role === "tool";
      const ended = (stop: StopReason, parts: AssistantPart[] = []): ModelEvent => {
        return { type: "end", reply: { parts, stop, usage: NO_USAGE } };
      };
      if (signal.aborted) yield ended("aborted");
      else yield isCalled ? ended("stop") : ended("tool-calls", [{ type: "tool-call", callId, tool, args }]);
    },
  };
}
