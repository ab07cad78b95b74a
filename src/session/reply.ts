import type { LoopEnd } from "../agent/loop.ts";
import { replyTexts } from "../agent/reply.ts";
import { textOf } from "../models/message.ts";
import { type Conclusion, stopped } from "./conclusion.ts";

/** Turns the end of a loop into the end of its run. */
export function conclude(end: Exclude<LoopEnd, { kind: "paused" }>, signal: AbortSignal): Conclusion {
  if (end.kind === "aborted") return { ...stopped(signal), ...(end.message && { message: end.message }) };
  const { message } = end;
  const { error } = message;
  const texts = replyTexts({
    reasoning: "",
    texts: [textOf(message)],
    ...(error && { error: error.message }),
    sent: [],
    begun: false,
    failure: () => undefined,
  });
  if (error === undefined) return { status: "ok", message, texts };
  return { status: "error", message, error: { code: "model_error", message: error.message }, texts };
}
