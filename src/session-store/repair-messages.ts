import { log } from "../lib/log.ts";
import {
  type AssistantMessage,
  callsOf,
  type Message,
  type ToolCallPart,
  type UserMessage,
} from "../models/message.ts";
import { interruptedResult } from "./messages.ts";

const LEFT_OUT = "[This was left out, because the model refused a request that held it.]";

/**
 * A conversation, oldest first, in a form that a model takes: what made it refuse a request is left out of the next
 * ones, and every call has its one result, but for those of a last reply, which are still to be run.
 */
export function repairMessages(messages: readonly Message[]): Message[] {
  return withContinuationNotes(withPairedResults(withoutRefused(messages)));
}

const BROKE_OFF =
  "[System] Your reply broke off here, and people have read it as far as it goes. Go on from there without saying it again.";

/**
 * Says so where a reply broke off and the model was asked anew: else it would have to go on in the middle of a word. The
 * turn is still that of whoever spoke last.
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
 * Leaves out what was new in a request that the model refused as malformed: all since its last reply that ended well,
 * and the calls of that reply, which it had not got back before.
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
  return { ...rest, text: LEFT_OUT };
}

function textOnly(message: AssistantMessage): AssistantMessage {
  const said = message.parts.flatMap((part) => (part.type === "text" ? [{ type: part.type, text: part.text }] : []));
  return { ...message, parts: said.length > 0 ? said : [{ type: "text", text: LEFT_OUT }] };
}

/** Gives calls that were left without a result one, and drops results that no call asked for. */
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
    if (message.role === "assistant") open = new Map(callsOf(message).map((call) => [call.callId, call]));
  }
  return found;
}
