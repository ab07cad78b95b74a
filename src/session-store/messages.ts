import { UNKNOWN_EFFECT } from "../agent/run-tools.ts";
import { originRules } from "../config/origins.ts";
import { newId } from "../lib/ids.ts";
import {
  type AssistantMessage,
  NO_USAGE,
  type ToolCallPart,
  type ToolMessage,
  type UserMessage,
} from "../models/message.ts";
import type { RunInput } from "./run-input.ts";

/** The instants of a message, in milliseconds since the epoch, and the run that brought it. */
export interface StoredWhen {
  acceptedAt: number;
  /** When it is stored in the transcript. */
  at: number;
  /** Set where the run was merged into another. */
  fromRunId?: string;
}

/** A user's message as the transcript stores it. */
export function userMessage(input: RunInput, { acceptedAt, at, fromRunId }: StoredWhen): UserMessage {
  const { said, sender, images, media } = input;
  const before = [droppedNote(input.dropped), input.quoted ?? ""].filter((part) => part !== "").join("\n\n");
  const text = [before, input.text].filter((part) => part !== "").join("\n\n");
  const wordsAt = text.length - input.text.length;
  return {
    role: "user",
    id: newId("msg", at),
    at,
    ...(!originRules(input.origin).isForModels && { aside: true }),
    text,
    ...(images && images.length > 0 && { images }),
    ...(media && media.length > 0 && { media }),
    ...(sender && { sender }),
    ...(input.labels && { labels: input.labels }),
    ...(input.isSpoken && { isSpoken: true as const }),
    ...(said && { said: { ...said, at: acceptedAt } }),
    ...(said && wordsAt > 0 && { wordsAt }),
    ...(input.origin?.kind === "retry" && { retries: true as const }),
    ...(input.origin?.kind === "overheard" && { overheard: input.origin.limit }),
    ...(fromRunId !== undefined && { fromRunId }),
    ...(isTypedCommand(input) && { commandAt: wordsAt }),
  };
}

/** What a model sees of dropped messages. */
function droppedNote(dropped: RunInput["dropped"]): string {
  if (dropped === undefined) return "";
  const { count, begins } = dropped;
  const lines = begins.map((text) => `- ${text.replace(/\s+/g, " ")}`);
  const which = begins.length < count ? `The last ${begins.length}` : "They";
  return [`[${count} earlier messages were dropped because too many waited. ${which} began:`, ...lines, "]"].join("\n");
}

/** The answer of a command: shown to people, not to models. */
export function commandAnswer(text: string, at: number): AssistantMessage {
  return {
    role: "assistant",
    id: newId("msg", at),
    at,
    aside: true,
    parts: [{ type: "text", text }],
    stop: "stop",
    usage: NO_USAGE,
    model: "isopod/commands",
  };
}

/** The result of a call that has none. */
export function interruptedResult(call: ToolCallPart, at: number): ToolMessage {
  const id = newId("msg", at);
  return { role: "tool", id, at, callId: call.callId, tool: call.tool, text: UNKNOWN_EFFECT, isError: true };
}

const GAVE_WAY = "It was not launched: a message came first. This turn goes on later.";
const GOES_ON =
  "[System] A message came in between. Now go on with the following. What its calls have done, as shown above, is done: do not do it again.";

/** The result of a call that was not launched because its run gave way to a message. */
export function skippedResult(call: ToolCallPart, at: number): ToolMessage {
  return { ...interruptedResult(call, at), text: GAVE_WAY };
}

/** The input of a run that gave way to a message, for when it goes on, in the conversation that it was in. */
export function continued(input: RunInput): RunInput {
  if (input.text.startsWith(GOES_ON)) return input;
  const { origin } = input;
  if (origin === undefined || !("isFresh" in origin)) return { ...input, text: `${GOES_ON}\n\n${input.text}` };
  const { isFresh: _, ...rest } = origin;
  return { ...input, text: `${GOES_ON}\n\n${input.text}`, origin: rest };
}

/** A typed text in the form of a command: `/weather Paris`, or `/skill weather Paris`. */
export type TypedSkill = { kind: "command"; name: string; args: string } | { kind: "skill"; words: string };

/** `/name args`, `/name@bot args`, with either slash. A path does not match: a name has no slash. */
const TYPED = /^[/／]([^\s/／@]{1,200})(?:@[\w.-]+)?(?:\s+([\s\S]*))?$/;

/** The skill call that a text has the form of; undefined where it does not look like a command. */
export function readTypedSkill(text: string): TypedSkill | undefined {
  const [, name, args = ""] = TYPED.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  return name.toLowerCase() === "skill"
    ? { kind: "skill", words: args.trim() }
    : { kind: "command", name, args: args.trim() };
}

/**
 * Whether an owner typed a text in the form of a command. Only owners call skills so, and only in a message of their
 * own.
 */
export function isTypedCommand({ text, sender, origin }: RunInput): boolean {
  return originRules(origin).isActivity && sender?.owner === true && readTypedSkill(text) !== undefined;
}
