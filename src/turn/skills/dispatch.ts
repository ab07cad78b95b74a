import type { Journal } from "../../agent/journal.ts";
import type { AnyTool } from "../../agent/tool.ts";
import type { JsonObject } from "../../lib/json.ts";
import { type AssistantPart, NO_USAGE, type StopReason } from "../../models/message.ts";
import type { Model, ModelEvent } from "../../models/model.ts";
import type { SkillCommand } from "../../skills/command-names.ts";

/** What the tool of a skill's command is called with: what was typed, as it was, and who calls. */
export function dispatchArgs({ name, skill }: SkillCommand, args: string): JsonObject {
  return { command: args, commandName: name, skillName: skill.name };
}

/** What of these a tool takes, or why it takes none. */
export type FittedArgs = { kind: "fits"; args: JsonObject } | { kind: "refused"; reason: string };

/**
 * The arguments as a tool's schema takes them. OpenClaw hands all three over unchecked; here a tool may refuse fields that
 * it does not know, so who calls is left out for one that does. What was typed is never left out.
 */
export function fittedArgs({ name, parameters }: AnyTool, args: JsonObject): FittedArgs {
  const { command = "" } = args;
  const candidates: JsonObject[] = [args, { command }, ...(command === "" ? [{}] : [])];
  const fitting = candidates.find((candidate) => takes(parameters.safeParse(candidate).data, command !== ""));
  if (fitting !== undefined) return { kind: "fits", args: fitting };
  const reason = command === "" ? "needs to be told what to do: type it after the command." : TAKES_NO_TEXT;
  return { kind: "refused", reason: `The tool \`${name}\` ${reason}` };
}

/** Whether a schema has let arguments through, and with them what was typed. */
function takes(parsed: unknown, hasText: boolean): boolean {
  return typeof parsed === "object" && parsed !== null && (!hasText || "command" in parsed);
}

const TAKES_NO_TEXT =
  "takes no text of a command. Take `command-dispatch` out of the skill's SKILL.md, so that I do what it says instead.";

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

/**
 * A run's journal for a loop without a model: it shows nothing but what belongs to the run, nobody joins, and nothing is
 * summarized.
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
