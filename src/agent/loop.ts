import { type AssistantMessage, type Message, type ToolCallPart, toolCalls } from "../models/message.ts";
import { answer } from "./answer.ts";
import { ContextKeeper, withTooLongHint } from "./context-keeper.ts";
import type { LoopDeps } from "./loop-deps.ts";
import { stopRepetition } from "./loop-detection.ts";
import { askInFlush, flushLoop } from "./memory-flush.ts";
import { isClientCall } from "./offered-tools.ts";
import { runTools } from "./run-tools.ts";

/**
 * How a loop ended: with the final reply; with an abort and the model's output until then; or paused for a person's
 * approval, after which it is started again with the same journal. The message is not stored yet. With `called`, the last
 * reply is stored, and only calls of the client's tools are open. With `yielded` it made room before its next step.
 */
export type LoopEnd =
  | { kind: "reply"; message: AssistantMessage }
  | { kind: "aborted"; message?: AssistantMessage }
  | { kind: "called" }
  | { kind: "yielded" }
  | { kind: "paused" };

/**
 * Runs the agent loop: asks the model, runs the tools it calls, and asks again until it calls none. New messages are
 * taken in before the next tool is launched or the model is asked again. A request that does not fit, or was refused
 * for its size, is made after the context was reduced. A memory flush runs within the same loop.
 *
 * It does not throw for what a reply or a tool does. It throws what the journal throws, and `FatalRunError` if the run
 * must end. A model's failure ends it with a reply whose stop is `error`. An abort ends it promptly and may leave calls
 * without a result.
 */
export async function runLoop(outer: LoopDeps, signal: AbortSignal): Promise<LoopEnd> {
  const { journal } = outer;
  const keeper = new ContextKeeper(outer);
  /** How often the next call was started before. */
  let interrupted = journal.interruptedAsks;
  /** What the model is asked with; without the format, once a server has refused it. */
  let asked = outer;
  while (!signal.aborted) {
    if (journal.flushReplies === undefined && outer.mustYield?.()) return { kind: "yielded" };
    const open = openCalls(journal.context());
    if (open.length > 0) {
      interrupted = 0;
      const inFlush = journal.flushReplies !== undefined;
      const own = inFlush ? open : open.filter((call) => !isClientCall(outer, call));
      // Calls of the client's tools are skipped like others where a new message has arrived.
      if (own.length === 0 && !journal.hasPendingInput()) return { kind: "called" };
      const ran = await runTools(inFlush ? flushLoop(outer) : outer, own.length > 0 ? own : open, signal);
      if (ran === "paused") return { kind: "paused" };
      continue;
    }
    journal.takePendingInput();
    await outer.complete?.();
    // A memory flush is bounded itself, and must not end a run that owes a reply.
    if (journal.flushReplies === undefined) stopRepetition(journal.context(), outer.repetition);
    if (interrupted > 0) outer.emit({ type: "assistant", phase: "restart", attempt: interrupted + 1 });
    interrupted = 0;
    await keeper.makeRoom(signal);
    if (signal.aborted) break;
    // Making space can take long; messages that arrived meanwhile belong to this request.
    if (journal.hasPendingInput()) continue;
    if (journal.flushReplies !== undefined) {
      await askInFlush(outer, signal);
      continue;
    }
    const message = await answer(asked, journal.context(), signal, () => {
      journal.restarting();
      return journal.context();
    });
    if (message.stop === "aborted")
      return message.parts.length > 0 ? { kind: "aborted", message } : { kind: "aborted" };
    if (message.error?.kind === "overflow") {
      journal.restarting();
      if (message.parts.length > 0) outer.emit({ type: "assistant", phase: "restart", attempt: 2 });
      if (await keeper.recover(message, signal)) continue;
      return signal.aborted ? { kind: "aborted" } : { kind: "reply", message: withTooLongHint(message) };
    }
    if (message.error?.kind === "format" && asked.request.format !== undefined) {
      // Many servers do not know the field, or not beside tools; the prompt describes the format too.
      asked = withoutFormat(outer);
      continue;
    }
    keeper.answered(message);
    if (toolCalls(message).length === 0) {
      const reviewed = outer.review === undefined ? message : outer.review(message);
      if (reviewed !== undefined) return { kind: "reply", message: reviewed };
      outer.emit({ type: "assistant", phase: "restart", attempt: 2 });
      continue;
    }
    journal.answered(message);
  }
  return { kind: "aborted" };
}

/** The calls of the last reply that have no result yet. */
export function openCalls(messages: readonly Message[]): ToolCallPart[] {
  const at = messages.findLastIndex((message) => message.role === "assistant");
  const reply = messages[at];
  if (reply?.role !== "assistant") return [];
  const answered = new Set(messages.slice(at + 1).map((message) => (message.role === "tool" ? message.callId : "")));
  return toolCalls(reply).filter((call) => !answered.has(call.callId));
}

function withoutFormat(loop: LoopDeps): LoopDeps {
  const { format: _, ...request } = loop.request;
  return { ...loop, request };
}
