import { estimateTokens } from "../lib/tokens.ts";
import { type AssistantMessage, type Message, type ModelError, NO_USAGE, type Usage } from "../models/message.ts";
import { type Model, type ModelReply, type ModelRequest, tagsReasoning } from "../models/model.ts";
import { priced } from "../models/price.ts";
import { fixedTokens, messagesTokens } from "./context-size.ts";
import type { AskDeps } from "./loop-deps.ts";
import { offeredTools } from "./offered-tools.ts";
import type { ReasoningOptions, ReplyPiece } from "./reasoning-tags.ts";
import { boundedParts, MAX_REPLY_CHARS } from "./reply-bounds.ts";
import { createReplyParser, parseReply } from "./reply-parser.ts";

/**
 * Makes one model call, emits its deltas, and returns the finished message without storing it. If the reply did not end
 * well, its tool calls are removed: they may be incomplete and are never run.
 * @throws what the budget throws, before the model is asked
 */
export async function ask(loop: AskDeps, messages: Message[], signal: AbortSignal): Promise<AssistantMessage> {
  const request = { ...loop.request, messages, tools: offeredTools(loop, messages) };
  const settle = await loop.budget?.reserve(loop.model, request);
  const call = new AbortController();
  const options = { onlyFinal: tagsReasoning(loop.model, loop.request.thinking) };
  const told = await streamReply(loop, request, AbortSignal.any([signal, call.signal]), { call, options });
  const reply = { ...told, usage: loop.model.isFree ? told.usage : usageOf(told, request, loop.model) };
  settle?.(reply);
  const whole = reply.stop === "tool-calls" || reply.stop === "stop";
  const { parts, directives } = parseReply(
    whole ? reply.parts : reply.parts.filter((part) => part.type !== "tool-call"),
    options,
  );
  return {
    role: "assistant",
    id: loop.newMessageId(),
    at: loop.now(),
    model: loop.model.ref,
    parts: boundedParts(parts),
    stop: signal.aborted ? "aborted" : reply.stop,
    usage: priced(reply.usage, loop.model.price),
    ...(Object.keys(directives).length > 0 && { directives }),
    ...(reply.error && { error: reply.error }),
  };
}

/** The tokens of a call: as the model tells them, or estimated where it answered and told none. */
function usageOf({ usage, parts }: ModelReply, { system, messages, tools }: ModelRequest, model: Model): Usage {
  if (usage.input > 0 || usage.output > 0 || parts.length === 0) return usage;
  const said = parts.map((part) => (part.type === "tool-call" ? JSON.stringify(part.args) : part.text)).join("");
  const input = fixedTokens(system, tools) + messagesTokens(messages, model);
  return { ...usage, input, output: estimateTokens(said) };
}

async function streamReply(
  loop: AskDeps,
  request: ModelRequest,
  signal: AbortSignal,
  { call, options }: { call: AbortController; options: ReasoningOptions },
): Promise<ModelReply> {
  let fault: ModelError | undefined;
  const stopCall = (why: ModelError) => {
    fault ??= why;
    call.abort();
  };
  const idle = idleTimer(loop.modelIdleMs, () => stopCall(silenceError(loop.modelIdleMs)));
  const parser = createReplyParser(options);
  const show = (pieces: readonly ReplyPiece[]) => {
    if (pieces.length > 0) loop.onDirectives?.(parser.directives);
    for (const { type, text } of pieces) {
      loop.emit({ type: "assistant", phase: "delta", ...(type === "text" ? { text } : { reasoning: text }) });
    }
  };
  let chars = 0;
  try {
    for await (const event of loop.model.stream(request, signal)) {
      idle.reset();
      if (event.type === "text" || event.type === "reasoning") chars += event.delta.length;
      if (chars > MAX_REPLY_CHARS) stopCall(TOO_LONG);
      if (event.type === "text") show(parser.push(event.delta));
      else if (event.type === "reasoning") loop.emit({ type: "assistant", phase: "delta", reasoning: event.delta });
      else if (event.type === "end") {
        show(parser.end());
        return fault ? { ...event.reply, stop: "error", error: fault } : event.reply;
      }
    }
  } finally {
    idle.stop();
  }
  return { parts: [], stop: "error", usage: NO_USAGE, error: { kind: "other", message: "The model sent no answer." } };
}

/** The error of a model that sent nothing for too long. */
function silenceError(idleMs: number): ModelError {
  return { kind: "timeout", message: `The model was silent for ${Math.round(idleMs / 1000)} s.` };
}

const TOO_LONG: ModelError = {
  kind: "other",
  message: "The model's answer was too long and was stopped.",
  isFinal: true,
};

/**
 * Calls back after a time without `reset`; 0 for never. A reset only stores the time, because every delta resets it: the
 * timer arms itself again when it fires.
 */
function idleTimer(idleMs: number, expire: () => void): { reset(): void; stop(): void } {
  let resetAt = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arm = () => {
    const leftMs = resetAt + idleMs - performance.now();
    if (leftMs <= 0) expire();
    else timer = setTimeout(arm, leftMs);
  };
  if (idleMs > 0) arm();
  return {
    reset() {
      resetAt = performance.now();
    },
    stop() {
      clearTimeout(timer);
    },
  };
}
