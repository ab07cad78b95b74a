import { log } from "../lib/log.ts";
import {
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  toolCalls,
  type UserMessage,
} from "../models/message.ts";
import { interruptedResult } from "./messages.ts";

const LEFT_OUT = "[This was left out, because the model refused a request that held it.]";

/**
 * A conversation, oldest first, in a form that models accept: content that a model rejected is left out, and every call
 * has exactly one result, apart from the calls of a last reply, which have yet to run.
 */
export function repairMessages(messages: readonly Message[]): Message[] {
  return withContinuationNotes(withPairedResults(withoutRefused(withinHistoryLimit(messages))));
}

/**
 * Leaves out what was overheard above the limit: of the messages in a row that did not address the agent, the last ones
 * stay. What precedes a message that did address it never changes any more.
 */
function withinHistoryLimit(messages: readonly Message[]): readonly Message[] {
  let inRow = 0;
  let limit = 0;
  const kept = messages.toReversed().filter((message) => {
    if (message.role !== "user" || message.overheard === undefined) {
      inRow = 0;
      return true;
    }
    if (inRow === 0) limit = message.overheard;
    inRow += 1;
    return inRow <= limit;
  });
  return kept.length === messages.length ? messages : kept.reverse();
}

const BROKE_OFF =
  "[System] Your reply broke off here, and people have read it as far as it goes. Go on from there without saying it again.";

/**
 * Adds a note where a reply was interrupted and the model is called again: without it the model would have to continue
 * in the middle of a word. The note belongs to the last sender's turn.
 */
function withContinuationNotes(messages: readonly Message[]): Message[] {
  let principal: Pick<UserMessage, "sender"> = {};
  return messages.flatMap((message, at) => {
    if (message.role === "user") principal = message.sender ? { sender: message.sender } : {};
    const isGivenUp = message.role === "assistant" && message.stop === "aborted";
    if (!isGivenUp || messages[at + 1]?.role === "user") return [message];
    return [message, { role: "user", id: `${message.id}_broke_off`, at: message.at, text: BROKE_OFF, ...principal }];
  });
}

/**
 * Leaves out what was new in a request that the model rejected as malformed: everything since its last good reply, and
 * the calls of that reply, whose results were new too.
 */
function withoutRefused(messages: readonly Message[]): Message[] {
  let isRefused = false;
  return messages
    .toReversed()
    .map((message) => {
      if (message.role !== "assistant") return isRefused ? blanked(message) : message;
      if (message.error !== undefined) {
        isRefused ||= message.error.kind === "format";
        return message;
      }
      const wasRefused = isRefused;
      isRefused = false;
      return wasRefused ? textOnly(message) : message;
    })
    .toReversed();
}

function blanked(message: Exclude<Message, AssistantMessage>): Message {
  const { images: _, ...rest } = message;
  if (rest.role === "tool") return { ...rest, text: LEFT_OUT };
  const { media: _media, ...words } = rest;
  return { ...words, text: LEFT_OUT };
}

function textOnly(message: AssistantMessage): AssistantMessage {
  const texts = message.parts.flatMap((part) => (part.type === "text" ? [{ type: part.type, text: part.text }] : []));
  return { ...message, parts: texts.length > 0 ? texts : [{ type: "text", text: LEFT_OUT }] };
}

/** Adds missing results of calls, and drops results without a call. */
function withPairedResults(messages: readonly Message[]): Message[] {
  const found: Message[] = [];
  let open = new Map<string, ToolCallPart>();
  const close = (at: number) => {
    for (const call of open.values()) {
      log("warn", "transcript.call_without_result", { callId: call.callId, tool: call.tool });
      found.push(interruptedResult(call, at));
    }
    open = new Map();
  };
  for (const message of messages) {
    if (message.role === "tool") {
      if (open.delete(message.callId)) found.push(message);
      continue;
    }
    close(message.at);
    found.push(message);
    if (message.role === "assistant") open = new Map(toolCalls(message).map((call) => [call.callId, call]));
  }
  return found;
}
