import { head } from "../lib/text.ts";
import { estimateTokens } from "../lib/tokens.ts";
import type { Message, Usage } from "../models/message.ts";
import { addUsage, NO_USAGE, textOf } from "../models/message.ts";
import type { Model } from "../models/model.ts";
import { answer } from "./answer.ts";
import type { LoopDeps } from "./loop-deps.ts";
import { SUMMARY_SYSTEM, summaryRequest, told } from "./summary-prompt.ts";

/** Share of a model's window that a part of the conversation may have: estimates err, and the answer needs room. */
const PART_SHARE = 0.7;
/** Tokens of the request besides the conversation and the earlier summary. */
const FRAME_TOKENS = 600;
const LEAST_PART_TOKENS = 500;
/** Most requests for one summary; where they are not enough, the oldest messages are left out. */
const MAX_PARTS = 12;
/** How often parts are halved because the model does not take them. */
const MAX_HALVINGS = 3;
const MAX_SUMMARY_CHARS = 60_000;
const WORDS_PER_TOKEN = 0.6;

/** What is to be summarized, and how long it may become. */
export interface SummaryTask {
  earlier?: string;
  messages: readonly Message[];
  focus?: string;
  summaryTokens: number;
  /** Tokens that are known to be too many for the model. */
  tooMany?: number;
}

/** A summary, or why there is none, or what the budget of calls has thrown; `usage` was spent in any case. */
export type Summary =
  | { kind: "written"; text: string; model: string; usage: Usage }
  | { kind: "failed"; why: string; usage: Usage }
  | { kind: "thrown"; error: unknown; usage: Usage };

/**
 * Has a summary written, in as many requests as the model needs to read it all: each folds one more part of the
 * conversation into the summary of those before. Nothing of it is shown to anybody. It never rejects.
 */
export async function summarize(loop: LoopDeps, task: SummaryTask, signal: AbortSignal): Promise<Summary> {
  const writer = loop.context.summarizer ?? loop.model;
  const pieces = task.messages.map(told).map((text) => ({ text, tokens: estimateTokens(text) }));
  let partTokens = partTokensOf(writer, task);
  let earlier = task.earlier;
  let model = writer.ref;
  let usage = NO_USAGE;
  for (let at = 0, halvings = 0; at < pieces.length; ) {
    const part = nextPart(pieces, at, partTokens);
    const asking = answer(silent(loop, writer), [request(loop, task, earlier, part.text)], signal);
    const reply = await asking.catch((error: unknown) => ({ thrown: error }));
    if ("thrown" in reply) return { kind: "thrown", error: reply.thrown, usage };
    usage = addUsage(usage, reply.usage);
    const text = head(textOf(reply).trim(), MAX_SUMMARY_CHARS);
    if (reply.error?.kind === "overflow" && halvings < MAX_HALVINGS) {
      halvings++;
      partTokens = Math.max(LEAST_PART_TOKENS, Math.floor(partTokens / 2));
      continue;
    }
    if (reply.stop === "aborted") return { kind: "failed", why: "It was stopped.", usage };
    if (text === "" || reply.error !== undefined) {
      return { kind: "failed", why: reply.error?.message ?? "The model wrote no summary.", usage };
    }
    earlier = text;
    model = reply.model;
    at = part.end;
  }
  if (earlier === undefined) return { kind: "failed", why: "There was nothing to summarize.", usage };
  return { kind: "written", text: earlier, model, usage };
}

function partTokensOf({ contextWindow }: Model, { earlier = "", summaryTokens, tooMany }: SummaryTask): number {
  const window = Math.min(contextWindow, tooMany ?? contextWindow);
  const rest = FRAME_TOKENS + Math.max(estimateTokens(earlier), summaryTokens);
  return Math.max(LEAST_PART_TOKENS, Math.floor(window * PART_SHARE) - rest);
}

/** One message as the writer reads it. */
interface Piece {
  text: string;
  tokens: number;
}

/** The next messages that fit, one at least, and where the part after them begins. */
function nextPart(pieces: readonly Piece[], at: number, partTokens: number): { text: string; end: number } {
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

/** Where to go on so that what is left takes about as many requests as there may be, at most. */
function startFrom(pieces: readonly Piece[], at: number, partTokens: number): number {
  let left = partTokens * MAX_PARTS;
  let from = pieces.length - 1;
  for (; from > at; from--) {
    left -= Math.min(pieces[from]?.tokens ?? 0, partTokens);
    if (left < 0) break;
  }
  return Math.max(from, at);
}

function request(loop: LoopDeps, task: SummaryTask, earlier: string | undefined, conversation: string): Message {
  const { focus, summaryTokens } = task;
  const maxWords = Math.max(100, Math.round((summaryTokens * WORDS_PER_TOKEN) / 50) * 50);
  const order = { conversation, maxWords, ...(earlier !== undefined && { earlier }), ...(focus && { focus }) };
  return { role: "user", id: loop.newMessageId(), at: loop.now(), text: summaryRequest(order) };
}

/** A loop whose model writes, without tools, and that nobody hears. */
function silent(loop: LoopDeps, model: Model): LoopDeps {
  const { loadImage } = loop.request;
  const system = { stable: SUMMARY_SYSTEM, dynamic: "" };
  const request = { system, thinking: "off" as const, loadImage };
  return { ...loop, model, request, systemOf: undefined, tools: [], emit: () => undefined };
}
