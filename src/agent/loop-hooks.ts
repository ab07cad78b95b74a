import type { JsonObject } from "../lib/json.ts";
import type { ToolCallPart, ToolMessage } from "../models/message.ts";
import type { CompactionReason } from "./events.ts";
import type { Loop } from "./journal.ts";
import type { ToolOutput } from "./tool.ts";

/** What others than the model have to say in a loop. It fails only where nothing can be stored any more. */
export interface LoopHooks {
  /** What is to become of a call that would be launched now. */
  beforeCall(call: ToolCallPart): Promise<Vetted>;
  /** What is to be stored of what a call gave, before it is bounded. */
  returned(call: ToolCallPart, output: ReturnedOutput): Promise<ReturnedOutput>;
  /** The result of a call is stored. Nobody waits for what is done then. */
  afterCall(call: ToolCallPart, result: ToolMessage): void;
  /** The older part of the conversation is about to be summarized. */
  beforeCompaction(event: { reason: CompactionReason; tokensBefore: number }): Promise<void>;
  /** It was. Nobody waits for what is done then. */
  afterCompaction(event: { reason: CompactionReason; tokensBefore: number; tokensAfter: number }): void;
}

/** With which arguments a call is launched, or why it is not. */
export type Vetted = { args: JsonObject } | { blocked: string };

export interface ReturnedOutput extends ToolOutput {
  isError: boolean;
}

/**
 * Asks once about each call, whenever that is first wanted. A call that a person allowed runs with what they saw, and
 * nobody is asked about it again.
 */
export function vetting({ hooks, journal }: Loop): (call: ToolCallPart) => Promise<Vetted> {
  const known = new Map<string, Promise<Vetted>>();
  return (call) => {
    const args = journal.allowedArgs(call.callId);
    if (args !== undefined) return Promise.resolve({ args });
    if (hooks === undefined) return Promise.resolve({ args: call.args });
    const vetted = known.get(call.callId) ?? hooks.beforeCall(call);
    known.set(call.callId, vetted);
    return vetted;
  };
}
