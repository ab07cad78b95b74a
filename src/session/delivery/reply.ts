import type { LoopEnd } from "../../agent/loop.ts";
import { replyTexts } from "../../agent/reply.ts";
import { type Conclusion, stopped } from "../run/conclusion.ts";
import type { Voice } from "./voice.ts";

/** Turns the end of a loop into the end of its run. A run that was stopped has nothing more to say. */
export function conclude(end: Exclude<LoopEnd, { kind: "paused" }>, signal: AbortSignal, voice: Voice): Conclusion {
  if (end.kind === "aborted") return { ...stopped(signal), ...(end.message && { message: end.message }) };
  const { message } = end;
  const { error } = message;
  const texts = replyTexts(voice.outcome(message));
  if (error === undefined) return { status: "ok", message, texts };
  return { status: "error", message, error: { code: "model_error", message: error.message }, texts };
}
