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
import type { RunInput } from "./run.ts";

/**
 * What somebody said, as the transcript has it.
 * @param fromRunId the run that brought it, where it joins another
 */
export function userMessage(input: RunInput, at: number, fromRunId?: string): UserMessage {
  const text = [droppedNote(input.dropped), input.text].filter((part) => part !== "").join("\n\n");
  return {
    role: "user",
    id: newId("msg", at),
    at,
    ...(!originRules(input.origin).isForModels && { aside: true }),
    text,
    ...(input.images && input.images.length > 0 && { images: input.images }),
    ...(input.sender && { sender: input.sender }),
    ...(fromRunId !== undefined && { fromRunId }),
    ...(isTypedCommand(input) && { commandAt: text.length - input.text.length }),
  };
}

/** What a model is told of messages that it never gets to see whole. */
function droppedNote(dropped: RunInput["dropped"]): string {
  if (dropped === undefined) return "";
  const { count, begins } = dropped;
  const lines = begins.map((text) => `- ${text.replace(/\s+/g, " ")}`);
  const which = begins.length < count ? `The last ${begins.length}` : "They";
  return [`[${count} earlier messages were dropped because too many waited. ${which} began:`, ...lines, "]"].join("\n");
}

/** What a command answered: people see it, models do not. */
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

/** The result of a call that was left without one. */
export function interruptedResult(call: ToolCallPart, at: number): ToolMessage {
  const id = newId("msg", at);
  return { role: "tool", id, at, callId: call.callId, tool: call.tool, text: UNKNOWN_EFFECT, isError: true };
}

/** Something typed that begins like a command: `/weather Paris`, or `/skill weather Paris`, whose name is in its words. */
export type TypedSkill = { kind: "command"; name: string; args: string } | { kind: "skill"; words: string };

/** `/name args`, `/name@bot args`, with either slash. Paths are none: in a name there is no slash. */
const TYPED = /^[/／]([^\s/／@]{1,200})(?:@[\w.-]+)?(?:\s+([\s\S]*))?$/;

/** What a text calls on, as far as its form says; undefined where it begins like no command. */
export function readTypedSkill(text: string): TypedSkill | undefined {
  const [, name, args = ""] = TYPED.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  return name.toLowerCase() === "skill"
    ? { kind: "skill", words: args.trim() }
    : { kind: "command", name, args: args.trim() };
}

/** Whether an owner has typed what begins like a command: nobody else calls on skills so, and no other run does. */
export function isTypedCommand({ text, sender, origin }: RunInput): boolean {
  return originRules(origin).isActivity && sender?.owner === true && readTypedSkill(text) !== undefined;
}
