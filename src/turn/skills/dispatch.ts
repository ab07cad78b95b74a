import type { Journal } from "../../agent/journal.ts";
import type { AnyTool } from "../../agent/tool.ts";
import type { JsonObject } from "../../lib/json.ts";
import { type AssistantPart, NO_USAGE, type StopReason } from "../../models/message.ts";
import type { Model, ModelEvent } from "../../models/model.ts";
import type { SkillCommand } from "../../skills/command-names.ts";

/** The arguments for the tool of a skill's command: the typed text unchanged, and the names of command and skill. */
export function dispatchArgs({ name, skill }: SkillCommand, args: string): JsonObject {
  return { command: args, commandName: name, skillName: skill.name };
}

/** The arguments that a tool accepts, or why it accepts none. */
export type FittedArgs = { kind: "fits"; args: JsonObject } | { kind: "refused"; reason: string };

/**
 * Fits the arguments to a tool's schema. OpenClaw passes all three unchecked; here a tool may reject unknown fields, so
 * the two names are left out if necessary. The typed text never is.
 */
export function fittedArgs({ name, parameters }: AnyTool, args: JsonObject): FittedArgs {
  const { command = "" } = args;
  const candidates: JsonObject[] = [args, { command }, ...(command === "" ? [{}] : [])];
  const fitting = candidates.find((candidate) => takes(parameters.safeParse(candidate).data, command !== ""));
  if (fitting !== undefined) return { kind: "fits", args: fitting };
  const reason = command === "" ? "needs to be told what to do: type it after the command." : TAKES_NO_TEXT;
  return { kind: "refused", reason: `The tool \`${name}\` ${reason}` };
}

/** Whether the schema accepted the arguments, and kept the typed text. */
function takes(parsed: unknown, hasText: boolean): boolean {
  return typeof parsed === "object" && parsed !== null && (!hasText || "command" in parsed);
}

const TAKES_NO_TEXT =
  "takes no text of a command. Take `command-dispatch` out of the skill's SKILL.md, so that I do what it says instead.";

/** The model id of dispatched commands. */
const DISPATCH_MODEL = "skill/dispatch";

/** The tool call of a command. */
export interface Dispatch {
  callId: string;
  tool: string;
  args: Extract<AssistantPart, { type: "tool-call" }>["args"];
}

/** A model that requests one tool call, and ends once that has its result. It costs nothing. */
export function dispatchModel({ callId, tool, args }: Dispatch): Model {
  return {
    ref: DISPATCH_MODEL,
    contextWindow: Number.MAX_SAFE_INTEGER,
    maxOutputTokens: 0,
    price: { input: 0, output: 0 },
    isFree: true,
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

/**
 * A run's journal for a loop without a model: it shows only messages of the run, accepts no pending input and is never
 * compacted.
 * @param since when the run began, in milliseconds since the epoch
 */
export function singleCallJournal(journal: Journal, since: number): Journal {
  const context = () => journal.context().filter(({ at }) => at >= since);
  return {
    context,
    view() {
      const messages = context();
      return { messages, pinned: 0, countedFrom: messages.length, isFull: false };
    },
    interruptedAsks: 0,
    wasLaunched: (callId) => journal.wasLaunched(callId),
    restarting: () => false,
    answered: (message) => journal.answered(message),
    launching: (calls) => journal.launching(calls),
    returned: (message) => journal.returned(message),
    hasPendingInput: () => false,
    takePendingInput: () => undefined,
    verdictOn: (callId) => journal.verdictOn(callId),
    allowedArgs: (callId) => journal.allowedArgs(callId),
    pausing: (questions) => journal.pausing(questions),
    pruned: () => undefined,
    compacting: () => undefined,
    compacted: () => undefined,
    notCompacted: () => undefined,
    isFlushDue: false,
    flushReplies: undefined,
    flushing: () => undefined,
    flushed: () => undefined,
  };
}
