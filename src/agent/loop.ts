import type { AssistantMessage, Message, ToolCallPart, ToolMessage } from "../models/message.ts";
import { callsOf } from "../models/message.ts";
import type { Model, ModelRequest } from "../models/model.ts";
import { ask } from "./ask.ts";
import type { EventBody } from "./events.ts";
import { runTools } from "./run-tools.ts";
import type { AnyTool } from "./tool.ts";

/**
 * The durable memory of one run. The loop keeps nothing of its own: after a crash it is started again over the same
 * journal and goes on from the last finished step.
 *
 * Every verb is synchronous and has stored what it was told when it returns (before any request leaves the object).
 */
export interface Journal {
  /** What the model sees, oldest first; every tool call in it that is not of the last reply has its result. */
  context(): Message[];
  /** How often the call that comes next was begun before and did not finish. */
  readonly interruptedAsks: number;
  /** Whether a call was launched before, by this incarnation or an earlier one. */
  wasLaunched(callId: string): boolean;
  /** Stores a reply that asks for tools. */
  answered(message: AssistantMessage): void;
  /** Stores that these calls are being launched now. */
  launching(calls: readonly ToolCallPart[]): void;
  /** Stores the result of a call. */
  returned(message: ToolMessage): void;
  /** Whether messages have come that are to join this run. */
  hasNews(): boolean;
  /** Stores the messages that have come, as the next thing that the model sees. */
  takeNews(): void;
  /** What a person said of a call of the last reply; undefined where nobody was asked, or has answered yet. */
  verdictOn(callId: string): Verdict | undefined;
  /** Stores that the run waits for a person's word on these calls. */
  pausing(questions: readonly ApprovalQuestion[]): void;
}

export type Verdict = "allow" | "deny";

/** A call that may not run before a person has said so, and what to ask them. */
export interface ApprovalQuestion {
  call: ToolCallPart;
  question: string;
}

/** What one run of the loop needs. */
export interface Loop {
  model: Model;
  request: Omit<ModelRequest, "messages" | "tools">;
  tools: readonly AnyTool[];
  journal: Journal;
  /** Longest silence of a model, in milliseconds; 0 means no limit. */
  modelIdleMs: number;
  /** Tools that a person has allowed for good. */
  allowedTools: readonly string[];
  emit(event: EventBody): void;
  newMessageId(): string;
  now(): number;
}

/**
 * How a loop ended: with the reply that the run ends on, which is not stored yet; because its signal aborted; or
 * because it cannot go on before a person has spoken, after which it is started again over the same journal.
 */
export type LoopEnd = { kind: "reply"; message: AssistantMessage } | { kind: "aborted" } | { kind: "paused" };

/**
 * Lets the model work: asks it, runs the tools that it calls, and asks again until it calls none. Messages that come
 * meanwhile are taken up before the next tool is launched or the model is asked again.
 *
 * It never throws for what a model or a tool does; it passes on what the journal throws. A model's failure ends it with
 * a reply whose stop is `error`. An abort ends it promptly, and calls may then be left without a result.
 */
export async function runLoop(loop: Loop, signal: AbortSignal): Promise<LoopEnd> {
  let interrupted = loop.journal.interruptedAsks;
  while (!signal.aborted) {
    const messages = loop.journal.context();
    const open = openCalls(messages);
    if (open.length > 0) {
      interrupted = 0;
      if ((await runTools(loop, open, signal)) === "paused") return { kind: "paused" };
      continue;
    }
    loop.journal.takeNews();
    if (interrupted > 0) loop.emit({ type: "assistant", phase: "restart", attempt: interrupted + 1 });
    interrupted = 0;
    const message = await ask(loop, loop.journal.context(), signal);
    if (message.stop === "aborted") break;
    if (callsOf(message).length === 0) return { kind: "reply", message };
    loop.journal.answered(message);
  }
  return { kind: "aborted" };
}

/** The calls of the last reply that have no result yet. */
export function openCalls(messages: readonly Message[]): ToolCallPart[] {
  const at = messages.findLastIndex((message) => message.role === "assistant");
  const reply = messages[at];
  if (reply?.role !== "assistant") return [];
  const answered = new Set(messages.slice(at + 1).map((message) => (message.role === "tool" ? message.callId : "")));
  return callsOf(reply).filter((call) => !answered.has(call.callId));
}
