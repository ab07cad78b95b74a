import type { ScriptedReply } from "../fakes/model-script.ts";
import { between, randomOf } from "./random.ts";

/** What a message makes the model do: some steps of tool calls, then a reply of so many words. */
export interface Script {
  /** `m0017`; also the beginning of every call id and of every word that the model says about it. */
  tag: string;
  steps: ScriptedCall[][];
  words: number;
}

/**
 * One call of a step: of a tool that may be run again, of one that may not, or of one that a person has to allow; or the
 * start of a sub-agent.
 */
export interface ScriptedCall {
  kind: "safe" | "unsafe" | "asked" | "spawn";
  /** How long the counter takes, also that of the sub-agent's call, in milliseconds. */
  holdMs: number;
}

/** A message of a Chat Completions request, as far as it matters here. */
export interface WireMessage {
  role: string;
  content?: string | { type: string; text?: string }[] | null;
  tool_calls?: unknown[];
}

const SCRIPT = /\[(m\d+(?:c\d+)?) ([^\]]*)\]/g;
/** How a system message tells that a sub-agent has come to its end. */
const ANNOUNCED = /^\[System\] The sub-agent "([^"]*)"/;
/** What the model is asked before a conversation is shortened. */
const FLUSH = "This conversation is about to be shortened";
/** What it is asked in order to shorten it. */
const SUMMARY = "<conversation>";

/** The text of a message that carries a script: `[m0017 safe 80 + unsafe 40; unsafe 20; say 30]`. */
export function textOfScript({ tag, steps, words }: Script): string {
  const called = steps.map((step) => step.map(({ kind, holdMs }) => `${kind} ${holdMs}`).join(" + "));
  return `[${tag} ${[...called, `say ${words}`].join("; ")}]`;
}

/** The scripts in a text, in its order. */
export function scriptsIn(text: string): Script[] {
  return [...text.matchAll(SCRIPT)].map(([, tag = "", body = ""]) => {
    const parts = body.split("; ").map((part) => part.split(" + ").map((call) => call.split(" ")));
    const steps = parts.slice(0, -1).map((step) => step.map(([kind, holdMs]) => scriptedCall(kind, holdMs)));
    return { tag, steps, words: Number(parts.at(-1)?.[0]?.[1]) };
  });
}

/** The task of the sub-agent that a call starts. */
export function childScript(tag: string, done: number, index: number, holdMs: number): Script {
  return { tag: `${tag}c${done}${index}`, steps: [[{ kind: "safe", holdMs }], [{ kind: "unsafe", holdMs }]], words: 8 };
}

/** The sub-agent whose end a message tells; undefined where it tells something else. */
export function announcedIn(text: string): string | undefined {
  return ANNOUNCED.exec(text)?.[1];
}

/** What the model says of the end of a sub-agent. */
export function heardOf(tag: string): string {
  return `heard-${tag}`;
}

/**
 * What the model answers to a conversation: a pure function of it, so that a call that is made again gets the same step
 * with the same call ids. The last script that somebody sent counts, and how far it has come is told by the words that
 * were said of it; a summary has both, so that nothing of this is lost when a conversation is shortened.
 */
export function replyTo(conversation: readonly WireMessage[]): ScriptedReply {
  const users = conversation.filter(({ role }) => role === "user").map(textOf);
  const newest = users.at(-1) ?? "";
  const whole = conversation.filter(({ role }) => role !== "system").map(textOf);
  if (newest.includes(SUMMARY)) return summaryOf(newest);
  if (newest.includes(FLUSH)) return { delayMs: 20, text: "NO_REPLY" };
  const beat = /\[Heartbeat, ([^\]]+)\]/.exec(newest)?.[1];
  if (beat !== undefined) return { delayMs: 60, text: /[02468]$/.test(beat) ? "HEARTBEAT_OK" : `The time is ${beat}.` };
  const script = users.flatMap(scriptsIn).at(-1);
  if (script === undefined) return { text: "There is no script in this conversation." };
  const said = whole.join("\n");
  const announced = announcedIn(newest);
  if (announced !== undefined && isOver(script.tag, said)) return { delayMs: 20, text: heardOf(announced) };
  const done = stepsIn(script.tag, said);
  const random = randomOf(script.tag, done);
  const pace = { delayMs: between(random, 15, 120), gapMs: between(random, 4, 10), chunkSize: 16 };
  const step = script.steps[done];
  if (step === undefined)
    return { ...pace, text: wordsOf(script.tag, script.words), chunkSize: script.words > 200 ? 250 : 16 };
  const calls = step.map((call, index) => callOf(script.tag, done, index, call));
  return { ...pace, text: wordsOf(`${script.tag}-${done}`, between(random, 3, 12)), calls };
}

/** A summary that keeps what matters here: the last script, and the first word of each of its replies. */
function summaryOf(request: string): ScriptedReply {
  const scripts = scriptsIn(request);
  // What a sub-agent was told stands in the call that started it: that is not what was asked here.
  const script = scripts.findLast(({ tag }) => !scripts.some((other) => tag.startsWith(`${other.tag}c`)));
  if (script === undefined) return { text: "- Nothing was asked." };
  const steps = Array.from({ length: stepsIn(script.tag, request) }, (_, step) => `${script.tag}-${step}.1`);
  const end = isOver(script.tag, request) ? [`${script.tag}.1`] : [];
  return { delayMs: 60, gapMs: 4, text: `- ${[textOfScript(script), ...steps, ...end].join(" ")}` };
}

/** How many replies with calls a script has had. */
function stepsIn(tag: string, said: string): number {
  const found = [...said.matchAll(new RegExp(`(?<![\\w-])${tag}-(\\d+)\\.1(?!\\d)`, "g"))];
  return Math.max(0, ...found.map(([, step]) => Number(step) + 1));
}

/** Whether a script has had its last reply. */
function isOver(tag: string, said: string): boolean {
  return new RegExp(`(?<![\\w-])${tag}\\.1(?!\\d)`).test(said);
}

function callOf(tag: string, done: number, index: number, { kind, holdMs }: ScriptedCall) {
  const id = `${tag}-${done}-${index}`;
  if (kind !== "spawn") return { name: `count_${kind}`, args: { holdMs }, id };
  const child = childScript(tag, done, index, holdMs);
  return { name: "sessions_spawn", args: { task: textOfScript(child), label: child.tag }, id };
}

/** Words that tell each other apart, so that one that is missing or there twice is seen. */
function wordsOf(tag: string, count: number): string {
  return Array.from({ length: count }, (_, n) => `${tag}.${n + 1}`).join(" ");
}

function scriptedCall(kind: string | undefined, holdMs: string | undefined): ScriptedCall {
  const known = (["unsafe", "asked", "spawn"] as const).find((one) => one === kind);
  return { kind: known ?? "safe", holdMs: Number(holdMs) };
}

/** The text of a message. */
export function textOf(message: WireMessage | undefined): string {
  const { content } = message ?? {};
  return typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
}
