import type { ScriptedReply } from "../fakes/model-script.ts";
import { between, randomOf } from "./random.ts";

/** What a message makes the model do: some steps of tool calls, then a reply of so many words. */
export interface Script {
  /** `m0017`; also the beginning of every call id and of every word that the model says about it. */
  tag: string;
  steps: ScriptedCall[][];
  words: number;
}

/** One call of a step. */
export interface ScriptedCall {
  replay: "safe" | "unsafe";
  /** How long the counter takes, in milliseconds. */
  holdMs: number;
}

/** A message of a Chat Completions request, as far as it matters here. */
export interface WireMessage {
  role: string;
  content?: string | { type: string; text?: string }[] | null;
  tool_calls?: unknown[];
}

const SCRIPT = /\[(m\d+) ([^\]]*)\]/g;

/** The text of a message that carries a script: `[m0017 safe 80 + unsafe 40; unsafe 20; say 30]`. */
export function textOfScript({ tag, steps, words }: Script): string {
  const called = steps.map((step) => step.map(({ replay, holdMs }) => `${replay} ${holdMs}`).join(" + "));
  return `[${tag} ${[...called, `say ${words}`].join("; ")}]`;
}

/** The scripts in a text, in its order. */
export function scriptsIn(text: string): Script[] {
  return [...text.matchAll(SCRIPT)].map(([, tag = "", body = ""]) => {
    const parts = body.split("; ").map((part) => part.split(" + ").map((call) => call.split(" ")));
    const steps = parts.slice(0, -1).map((step) => step.map(([replay, holdMs]) => scriptedCall(replay, holdMs)));
    return { tag, steps, words: Number(parts.at(-1)?.[0]?.[1]) };
  });
}

/**
 * What the model answers to a conversation: a pure function of it, so that a call that is made again gets the same step
 * with the same call ids. The last script that somebody sent counts; its steps are the replies with calls since then.
 */
export function replyTo(conversation: readonly WireMessage[]): ScriptedReply {
  const asked = conversation.findLastIndex(
    (message) => message.role === "user" && scriptsIn(textOf(message)).length > 0,
  );
  const script = asked === -1 ? undefined : scriptsIn(textOf(conversation[asked])).at(-1);
  if (script === undefined) return { text: "There is no script in this conversation." };
  const done = conversation.slice(asked + 1).filter((message) => (message.tool_calls ?? []).length > 0).length;
  const random = randomOf(script.tag, done);
  const pace = { delayMs: between(random, 15, 120), gapMs: between(random, 4, 10), chunkSize: 16 };
  const step = script.steps[done];
  if (step === undefined)
    return { ...pace, text: wordsOf(script.tag, script.words), chunkSize: script.words > 200 ? 250 : 16 };
  const calls = step.map(({ replay, holdMs }, index) => ({
    name: `count_${replay}`,
    args: { holdMs },
    id: `${script.tag}-${done}-${index}`,
  }));
  return { ...pace, text: wordsOf(`${script.tag}-${done}`, between(random, 3, 12)), calls };
}

/** Words that tell each other apart, so that one that is missing or there twice is seen. */
function wordsOf(tag: string, count: number): string {
  return Array.from({ length: count }, (_, n) => `${tag}.${n + 1}`).join(" ");
}

function scriptedCall(replay: string | undefined, holdMs: string | undefined): ScriptedCall {
  return { replay: replay === "unsafe" ? "unsafe" : "safe", holdMs: Number(holdMs) };
}

function textOf(message: WireMessage | undefined): string {
  const { content } = message ?? {};
  return typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
}
