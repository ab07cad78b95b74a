import { head } from "../lib/text.ts";
import { estimateTokens } from "../lib/tokens.ts";
import type { Message, Usage } from "../models/message.ts";
import { addUsage, messageText, NO_USAGE } from "../models/message.ts";
import type { Model } from "../models/model.ts";
import { answer } from "./answer.ts";
import type { LoopDeps } from "./loop-deps.ts";
import { isSummaryOf } from "./summary-check.ts";
import { SUMMARY_SYSTEM, type SummaryOrder, summaryRequest, transcriptLine } from "./summary-prompt.ts";

/** The share of a model's window for one part of the conversation; the rest is for estimation errors and the answer. */
const PART_SHARE = 0.7;
/** Tokens of the request besides the conversation and the earlier summary. */
const FRAME_TOKENS = 600;
const LEAST_PART_TOKENS = 500;
/** The most requests for one summary; if they are too few, the oldest messages are left out. */
const MAX_PARTS = 12;
/** How often parts are halved after the model refused one for its size. */
const MAX_HALVINGS = 3;
const MAX_SUMMARY_CHARS = 60_000;
const WORDS_PER_TOKEN = 0.6;

/** What to summarize, and the length of the summary. */
export interface SummaryTask {
  earlier?: string;
  messages: readonly Message[];
  focus?: string;
  summaryTokens: number;
  /** A number of tokens that the model is known to refuse. */
  tooMany?: number;
}

/** A summary, a failure, or an error that the call budget threw; `usage` was spent in any case. */
export type Summary =
  | { kind: "written"; text: string; model: string; usage: Usage }
  | { kind: "failed"; why: string; usage: Usage }
  | { kind: "thrown"; error: unknown; usage: Usage };

/**
 * Writes a summary in as many requests as the model needs: each adds one more part of the conversation to the summary
 * so far. It emits nothing and never rejects.
 */
export async function summarize(loop: LoopDeps, task: SummaryTask, signal: AbortSignal): Promise<Summary> {
  const writer = loop.context.summarizer ?? loop.model;
  const pieces = task.messages.map(transcriptLine).map((text) => ({ text, tokens: estimateTokens(text) }));
  let partTokens = tokensPerPart(writer, task);
  let earlier = task.earlier;
  let model = writer.ref;
  let usage = NO_USAGE;
  for (let at = 0, halvings = 0, isSecondTry = false; at < pieces.length; ) {
    const part = nextPart(pieces, at, partTokens);
    const order = request(loop, task, { earlier, conversation: part.text, isSecondTry });
    const asking = answer(summarizerLoop(loop, writer), [order], signal);
    const reply = await asking.catch((error: unknown) => ({ thrown: error }));
    if ("thrown" in reply) return { kind: "thrown", error: reply.thrown, usage };
    usage = addUsage(usage, reply.usage);
    const text = head(messageText(reply).trim(), MAX_SUMMARY_CHARS);
    if (reply.error?.kind === "overflow" && halvings < MAX_HALVINGS) {
      halvings++;
      partTokens = Math.max(LEAST_PART_TOKENS, Math.floor(partTokens / 2));
      continue;
    }
    if (reply.stop === "aborted") return { kind: "failed", why: "It was stopped.", usage };
    if (text === "" || reply.error !== undefined) {
      return { kind: "failed", why: reply.error?.message ?? "The model wrote no summary.", usage };
    }
    if (!isSummaryOf(text, `${earlier ?? ""}\n${part.text}`)) {
      if (isSecondTry) return { kind: "failed", why: "What the model wrote is no summary of the conversation.", usage };
      isSecondTry = true;
      continue;
    }
    isSecondTry = false;
    earlier = text;
    model = reply.model;
    at = part.end;
  }
  if (earlier === undefined) return { kind: "failed", why: "There was nothing to summarize.", usage };
  return { kind: "written", text: earlier, model, usage };
}

function tokensPerPart({ contextWindow }: Model, { earlier = "", summaryTokens, tooMany }: SummaryTask): number {
  const window = Math.min(contextWindow, tooMany ?? contextWindow);
  const rest = FRAME_TOKENS + Math.max(estimateTokens(earlier), summaryTokens);
  return Math.max(LEAST_PART_TOKENS, Math.floor(window * PART_SHARE) - rest);
}

/** One message as the summarizer reads it. */
interface MessageText {
  text: string;
  tokens: number;
}

/** The next messages that fit, at least one, and the index after them. */
function nextPart(pieces: readonly MessageText[], at: number, partTokens: number): { text: string; end: number } {
  const from = startFrom(pieces, at, partTokens);
  const skipped = from > at ? `[${from - at} older messages are left out here.]\n\n` : "";
  const [first] = pieces.slice(from);
  if (first === undefined) return { text: skipped, end: pieces.length };
  if (first.tokens > partTokens) {
    const share = partTokens / first.tokens;
    return { text: skipped + head(first.text, Math.floor(first.text.length * share)), end: from + 1 };
  }
  let left = partTokens;
  let end = from;
  for (let piece = pieces[end]; piece !== undefined && piece.tokens <= left; piece = pieces[++end])
    left -= piece.tokens;
  const texts = pieces.slice(from, end).map(({ text }) => text);
  return { text: skipped + texts.join("\n\n"), end };
}

/** The index to continue from so that the rest takes at most `MAX_PARTS` requests. */
function startFrom(pieces: readonly MessageText[], at: number, partTokens: number): number {
  let left = partTokens * MAX_PARTS;
  let from = pieces.length - 1;
  for (; from > at; from--) {
    left -= Math.min(pieces[from]?.tokens ?? 0, partTokens);
    if (left < 0) break;
  }
  return Math.max(from, at);
}

function request(
  loop: LoopDeps,
  { focus, summaryTokens }: SummaryTask,
  {
    earlier,
    conversation,
    isSecondTry,
  }: Pick<SummaryOrder, "conversation" | "isSecondTry"> & { earlier: string | undefined },
): Message {
  const maxWords = Math.max(100, Math.round((summaryTokens * WORDS_PER_TOKEN) / 50) * 50);
  const order = {
    conversation,
    maxWords,
    isSecondTry,
    ...(earlier !== undefined && { earlier }),
    ...(focus && { focus }),
  };
  return { role: "user", id: loop.newMessageId(), at: loop.now(), text: summaryRequest(order) };
}

/** A loop with the summarizer's model, without tools and events. */
function summarizerLoop(loop: LoopDeps, model: Model): LoopDeps {
  const { loadFile } = loop.request;
  const system = { stable: SUMMARY_SYSTEM, dynamic: "" };
  const request = { system, thinking: "off" as const, loadFile };
  return { ...loop, model, request, systemFor: undefined, tools: [], clientTools: undefined, emit: () => undefined };
}
