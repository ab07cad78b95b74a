import { type AssistantMessage, callsOf, type Message, type ToolCallPart } from "../models/message.ts";
import { answer } from "./answer.ts";
import { ContextKeeper, outOfRoom } from "./context-keeper.ts";
import type { LoopDeps } from "./loop-deps.ts";
import { stopRepetition } from "./loop-detection.ts";
import { askInFlush, inward } from "./memory-flush.ts";
import { runTools } from "./run-tools.ts";

/**
 * How a loop ended: with the reply that the run ends on; because its signal aborted, with what the model had said by
 * then; or because it cannot go on before a person has spoken, after which it is started again over the same journal.
 * The message is not stored yet.
 */
export type LoopEnd =
  | { kind: "reply"; message: AssistantMessage }
  | { kind: "aborted"; message?: AssistantMessage }
  | { kind: "paused" };

/**
 * Lets the model work: asks it, runs the tools that it calls, and asks again until it calls none. Messages that come
 * meanwhile are taken up before the next tool is launched or the model is asked again. A request that would not fit, or
 * did not, is made once there is room for it. A memory flush is a detour on the same way.
 *
 * It never throws for what one reply or a tool does; it passes on what the journal throws, and `MustEnd` where the run
 * may not go on. A model's failure ends it with a reply whose stop is `error`. An abort ends it promptly, and calls may
 * then be left without a result.
 */
export async function runLoop(outer: LoopDeps, signal: AbortSignal): Promise<LoopEnd> {
  const { journal } = outer;
  const keeper = new ContextKeeper(outer);
  /** How often the next call was begun before. */
  let interrupted = journal.interruptedAsks;
  while (!signal.aborted) {
    const open = openCalls(journal.context());
    if (open.length > 0) {
      interrupted = 0;
      const loop = journal.flushReplies === undefined ? outer : inward(outer);
      if ((await runTools(loop, open, signal)) === "paused") return { kind: "paused" };
      continue;
    }
    journal.takePendingInput();
    await outer.complete?.();
    // A memory flush ends by itself, and nobody who waits for an answer is to suffer from it.
    if (journal.flushReplies === undefined) stopRepetition(journal.context(), outer.repetition);
    if (interrupted > 0) outer.emit({ type: "assistant", phase: "restart", attempt: interrupted + 1 });
    interrupted = 0;
    await keeper.makeRoom(signal);
    if (signal.aborted) break;
    // Making room can take long, and what came meanwhile belongs to this request, too.
    if (journal.hasPendingInput()) continue;
    if (journal.flushReplies !== undefined) {
      await askInFlush(outer, signal);
      continue;
    }
    const message = await answer(outer, journal.context(), signal);
    if (message.stop === "aborted")
      return message.parts.length > 0 ? { kind: "aborted", message } : { kind: "aborted" };
    if (message.error?.kind === "overflow") {
      journal.restarting();
      if (message.parts.length > 0) outer.emit({ type: "assistant", phase: "restart", attempt: 2 });
      if (await keeper.recover(message, signal)) continue;
      return signal.aborted ? { kind: "aborted" } : { kind: "reply", message: outOfRoom(message) };
    }
    keeper.helped(message);
    if (callsOf(message).length === 0) return { kind: "reply", message };
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
  return callsOf(reply).filter((call) => !answered.has(call.callId));
}
