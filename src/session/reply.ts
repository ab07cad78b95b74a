import type { LoopEnd } from "../agent/loop.ts";
import type { AssistantMessage } from "../models/message.ts";
import { textOf } from "../models/message.ts";
import { type Conclusion, stopped } from "./conclusion.ts";

/** What a model answers when nothing is to be said. */
export const SILENT_REPLY = "NO_REPLY";

/** Turns the end of a loop into the end of its run. */
export function conclude(end: Exclude<LoopEnd, { kind: "paused" }>, signal: AbortSignal): Conclusion {
  if (end.kind === "aborted") return { ...stopped(signal), ...(end.message && { message: end.message }) };
  const { message } = end;
  const text = visibleText(message);
  if (message.error === undefined) return { status: "ok", message, text };
  return { status: "error", message, error: { code: "model_error", message: message.error.message }, text };
}

/** What people are to read of the last reply of a run; empty where there is nothing to say. */
function visibleText(message: AssistantMessage): string {
  const text = textOf(message).trim();
  if (message.error === undefined) return text === SILENT_REPLY ? "" : text;
  const apology = `The model did not answer: ${message.error.message}`;
  return text === "" ? apology : `${text}\n\n${apology}`;
}
