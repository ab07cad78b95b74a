import type { AssistantPart, Message, Usage } from "./message.ts";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "./model.ts";
import type { FinishedCall, nextStep, Step } from "./offline/plan.ts";
import { FREE } from "./price.ts";

/** The model that is used if none is configured. */
export const OFFLINE_REF = "offline/rules";

/**
 * A model made of rules: no key, no network, the same answer to the same messages. It says what it is and works in the
 * same loop as any other: it calls the offered tools and answers from their results.
 */
export function offlineModel(): Model {
  return { ref: OFFLINE_REF, contextWindow: 1_000_000, maxOutputTokens: 8_192, price: FREE, input: [], stream: answer };
}

async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  // Its rules are compiled where it is used: most deployments have another model.
  const plan = await import("./offline/plan.ts");
  const step = stepFor(request, plan.nextStep);
  let text = "";
  for (const delta of step.kind === "say" ? wordByWord(step.text) : []) {
    if (signal.aborted) break;
    text += delta;
    yield { type: "text", delta };
  }
  yield { type: "end", reply: signal.aborted ? reply(request, textPart(text), "aborted") : whole(request, step) };
}

function stepFor({ messages, tools }: ModelRequest, next: typeof nextStep): Step {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const asked = messages[at];
  const text = asked?.role === "user" ? asked.text : "";
  return next(text, finishedCalls(messages.slice(at + 1)), new Set(tools.map(({ name }) => name)));
}

/** The calls in these messages that have their result. */
function finishedCalls(messages: Message[]): FinishedCall[] {
  const calls = new Map(
    messages
      .flatMap((message) => (message.role === "assistant" ? message.parts : []))
      .flatMap((part) => (part.type === "tool-call" ? [[part.callId, part.args] as const] : [])),
  );
  return messages.flatMap((message) =>
    message.role === "tool"
      ? [{ tool: message.tool, args: calls.get(message.callId) ?? {}, text: message.text, isError: message.isError }]
      : [],
  );
}

function whole(request: ModelRequest, step: Step): ModelReply {
  if (step.kind === "say") return reply(request, textPart(step.text), "stop");
  // Unique without randomness: every call follows another message.
  const callId = `call_${request.messages.at(-1)?.id.replace(/^msg_/, "") ?? "first"}`;
  return reply(request, [{ type: "tool-call", callId, tool: step.tool, args: step.args }], "tool-calls");
}

function reply(request: ModelRequest, parts: AssistantPart[], stop: ModelReply["stop"]): ModelReply {
  return { parts, stop, usage: estimateUsage(request, parts) };
}

function textPart(text: string): AssistantPart[] {
  return text === "" ? [] : [{ type: "text", text }];
}

/** A word with the space after it, or one Chinese character with its punctuation. */
function wordByWord(text: string): string[] {
  return text.match(/\p{Script=Han}[，。！？、：；”」）]*|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? [];
}

/** Estimates four characters per token. */
function estimateUsage({ system, messages, tools }: ModelRequest, parts: AssistantPart[]): Usage {
  const input = system.stable.length + system.dynamic.length + length(messages) + length(tools);
  return { input: tokens(input), output: tokens(length(parts)), cacheRead: 0, cacheWrite: 0, reasoning: 0 };
}

function length(value: unknown): number {
  return JSON.stringify(value).length;
}

function tokens(chars: number): number {
  return Math.ceil(chars / 4);
}
