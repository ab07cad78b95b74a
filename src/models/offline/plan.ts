import type { JsonObject } from "../../lib/json.ts";
import { head } from "../../lib/text.ts";
import { type Intent, parseIntent } from "./intent.ts";
import { appendCall, linesAbout, MEMORY_FILE, recalledFrom } from "./memory.ts";
import { type Words, wordsFor } from "./words.ts";

/** The next step: say something and end, or call one tool. */
export type Step = { kind: "say"; text: string } | { kind: "call"; tool: string; args: JsonObject };

/** A tool call since the user's message, with its result. */
export interface FinishedCall {
  tool: string;
  args: JsonObject;
  text: string;
  isError: boolean;
}

const MAX_CALLS = 4;
const MAX_SHOWN_CHARS = 4_000;

/**
 * Decides from the user's last message, the calls since, and the offered tools. Each intent calls a tool at most once,
 * and the turn ends after four calls in any case.
 */
export function nextStep(message: string, done: FinishedCall[], offered: ReadonlySet<string>): Step {
  const words = wordsFor(message);
  const last = done.at(-1);
  if (last !== undefined && done.length >= MAX_CALLS) return say(words.failed(last.tool, firstLine(last.text)));
  return follow(parseIntent(message), { words, done, offered });
}

interface Scene {
  words: Words;
  done: FinishedCall[];
  offered: ReadonlySet<string>;
}

function follow(intent: Intent, scene: Scene): Step {
  const { words } = scene;
  switch (intent.kind) {
    case "token":
      return say(intent.token);
    case "remember":
      return remember(intent.fact, scene);
    case "recall":
      return recall(intent.topic, scene);
    case "read":
      return once("read", { path: intent.path }, scene, ({ text }) =>
        words.shows(intent.path, head(text, MAX_SHOWN_CHARS)),
      );
    case "write":
      return once("write", { path: intent.path, content: intent.content }, scene, () => words.wrote(intent.path));
    case "list":
      return once("ls", intent.folder === "" ? {} : { path: intent.folder }, scene, ({ text }) =>
        words.files(intent.folder, head(text, MAX_SHOWN_CHARS)),
      );
    case "remind":
      return once("cron", reminder(intent), scene, ({ text }) => words.willRemind(intent.what, nextTime(text)));
    case "reminder":
      return say(words.reminds(intent.what));
    default:
      return say(words[intent.kind]);
  }
}

function reminder({ span, what }: { span: string; what: string }): JsonObject {
  return {
    action: "add",
    name: head(what, 60),
    schedule: { kind: "at", at: span },
    payload: { kind: "systemEvent", text: what },
  };
}

/** The time of the first run in the tool's answer. */
function nextTime(answer: string): string {
  const [, time = ""] = /"next":\["([^"]+)"/.exec(answer) ?? [];
  const [, zone = ""] = /"zone":"([^"]+)"/.exec(answer) ?? [];
  return zone === "" ? time : `${time} (${zone})`;
}

function remember(fact: string, scene: Scene): Step {
  const { words, done } = scene;
  const saved = done.findLast(({ tool }) => tool === "edit" || tool === "write");
  if (saved) return say(saved.isError ? words.failed(MEMORY_FILE, firstLine(saved.text)) : words.noted(fact));
  const memory = readCall(MEMORY_FILE, done);
  if (memory === undefined) return call("read", { path: MEMORY_FILE }, scene);
  if (memory.isError && !isMissing(memory)) return say(words.failed(MEMORY_FILE, firstLine(memory.text)));
  const line = words.memoryLine(fact);
  if (!memory.isError && memory.text.includes(line)) return say(words.known(fact));
  const append = appendCall(memory.isError ? undefined : memory.text, line);
  return call(append.tool, append.args, scene);
}

function recall(topic: string, scene: Scene): Step {
  const { words, done, offered } = scene;
  const search = done.findLast(({ tool }) => tool === "memory_search");
  if (search === undefined && offered.has("memory_search"))
    return call("memory_search", { query: topic || "user" }, scene);
  if (search && !search.isError && !foundNothing(search.text)) return say(found(search.text, topic, words));
  const memory = readCall(MEMORY_FILE, done);
  if (memory === undefined) return call("read", { path: MEMORY_FILE }, scene);
  if (memory.isError && !isMissing(memory)) return say(words.failed(MEMORY_FILE, firstLine(memory.text)));
  const lines = memory.isError ? [] : linesAbout(memory.text, topic);
  return say(lines.length > 0 ? words.recalled(lines) : words.nothingOn(topic));
}

/** The lines that a search found, with their sources; a result without passages as it is. */
function found(result: string, topic: string, words: Words): string {
  const lines = recalledFrom(result, topic).map(({ line, source }) => (source ? words.cited(line, source) : line));
  return head(lines.length > 0 ? words.recalled(lines) : result, MAX_SHOWN_CHARS);
}

/** Calls a tool, then reports its result. */
function once(tool: string, args: JsonObject, scene: Scene, tell: (result: FinishedCall) => string): Step {
  const result = scene.done.findLast((call) => call.tool === tool);
  if (result === undefined) return call(tool, args, scene);
  return say(result.isError ? scene.words.failed(tool, firstLine(result.text)) : tell(result));
}

function call(tool: string, args: JsonObject, { offered, words }: Scene): Step {
  return offered.has(tool) ? { kind: "call", tool, args } : say(words.noTool(tool));
}

function say(text: string): Step {
  return { kind: "say", text };
}

function readCall(path: string, done: FinishedCall[]): FinishedCall | undefined {
  return done.findLast(({ tool, args }) => tool === "read" && args.path === path);
}

/** Only a file that certainly does not exist may be created. */
function isMissing({ text }: FinishedCall): boolean {
  return /not[ _]found|no such file|does not exist|doesn't exist|there is no/i.test(text);
}

/** Whether a search result says that nothing was found, in words or as an empty list. */
function foundNothing(text: string): boolean {
  return text.trim() === "" || /"results"\s*:\s*\[\s*\]/.test(text) || /^\W*(?:no|nothing|0)\b/i.test(text);
}

function firstLine(text: string): string {
  return head(text.trim().split("\n")[0] ?? "", 300);
}
