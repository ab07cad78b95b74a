import type { OutputCall, OutputItem } from "./responses-schema.ts";
import type { Told } from "./telling.ts";

/** What is said piece by piece: an answer, or a thought. */
export type SpeechKind = "message" | "reasoning";

/** How the events of speech are called, and where in its item the text is. */
export const SPEECH = {
  message: {
    prefix: "msg",
    part: "response.content_part",
    text: "response.output_text",
    place: { content_index: 0 },
    more: { logprobs: [] },
  },
  reasoning: {
    prefix: "rs",
    part: "response.reasoning_summary_part",
    text: "response.reasoning_summary_text",
    place: { summary_index: 0 },
    more: {},
  },
} as const;

/** The part of an item that is the text of what is said. */
export function speechPart(kind: SpeechKind, text: string) {
  return kind === "message"
    ? { type: "output_text" as const, text, annotations: [], logprobs: [] }
    : { type: "summary_text" as const, text };
}

/** An item that is said; without a text, as it begins. */
export function speechItem(
  kind: SpeechKind,
  id: string,
  status: "in_progress" | "completed" | "incomplete",
  text?: string,
): OutputItem {
  const texts = text === undefined ? [] : [text];
  if (kind === "reasoning") {
    return { type: kind, id, status, summary: texts.map((one) => ({ type: "summary_text", text: one })) };
  }
  const content = texts.map((one) => ({ type: "output_text" as const, text: one, annotations: [], logprobs: [] }));
  return { type: kind, id, role: "assistant", status, content };
}

/** A tool call of the agent's own, as it begins. */
export function callItem(id: string, name: string, args: string): OutputCall {
  const none = { output: null, error: null };
  return { type: "mcp_call", id, server_label: "isopod", name, arguments: args, ...none, status: "in_progress" };
}

/** A tool call that is done. */
export function doneCall(call: OutputCall, { text, isError }: Extract<Told, { kind: "result" }>): OutputCall {
  return isError
    ? { ...call, status: "failed", error: { type: "mcp_tool_execution_error", content: text } }
    : { ...call, status: "completed", output: text };
}
