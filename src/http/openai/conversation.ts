import { IsopodError } from "../../lib/errors.ts";
import { tail } from "../../lib/text.ts";
import { formatInstruction } from "../../models/answer-format.ts";
import type { ClientResult, ClientWishes, RunInput } from "../../session-store/run-input.ts";
import { MAX_EXTRA_CONTEXT_CHARS, MAX_INPUT_CHARS } from "../../session-store/run-request.ts";
import type { ChatMessage, ChatPart } from "./chat-schema.ts";
import { sentResults } from "./client-results.ts";
import { sentCall, type Turn } from "./conversation-turn.ts";
import { type AttachedFile, requireImage } from "./files.ts";
import type { InputItem, ResponsePart, ResponsesRequest } from "./responses-schema.ts";

/** Most characters of earlier turns that are quoted to a new session; the latest are kept. */
const MAX_QUOTED_CHARS = 100_000;
/** Space for the lines around the quotation. */
const FRAME_CHARS = 500;

/** A conversation as a caller of OpenAI's API sends it. */
export interface Conversation {
  /** The system and developer messages. */
  instructions: string[];
  turns: Turn[];
}

/** The part of a conversation that is new to its session. */
export interface NewInput {
  text: string;
  files: AttachedFile[];
  /** Instructions for the model of this run only. */
  extraContext?: string;
  /** Results of calls that the session has. */
  results?: readonly ClientResult[];
  /** Calls that the session does not have, with their results; they come after the text. */
  replay?: RunInput["replay"];
}

/** A conversation whose instructions describe the format of the answer too. */
export function withFormat(conversation: Conversation, client: ClientWishes | undefined): Conversation {
  if (client?.format === undefined) return conversation;
  return { ...conversation, instructions: [...conversation.instructions, formatInstruction(client.format)] };
}

/**
 * The part of a conversation after its last answer. A session that does not have the earlier turns gets them as a
 * quotation before it, and calls of the caller's tools since the last question as they were.
 * @param hasHistory whether the session has the earlier turns
 * @param param the field of the request that holds the conversation
 * @throws IsopodError `invalid_request` where nothing comes after the last answer, or too much, or where calls and
 * results do not match
 */
export function newInput({ instructions, turns }: Conversation, hasHistory: boolean, param: string): NewInput {
  const extraContext = instructionText(instructions, param);
  const sent = sentResults(turns, hasHistory, param);
  if (sent === undefined) {
    const answered = turns.findLastIndex(({ role }) => role === "assistant") + 1;
    const earlier = hasHistory ? [] : turns.slice(0, answered);
    return { ...said(turns.slice(answered), earlier, param), ...extraContext };
  }
  const { results, words, question, rounds, earlier } = sent;
  const resultChars = JSON.stringify([results, rounds]).length;
  if (resultChars > MAX_INPUT_CHARS) throw tooLong(param, resultChars, MAX_INPUT_CHARS);
  if (hasHistory) {
    const more = words.length === 0 ? { text: "", files: [] } : said(words, [], param);
    return { ...more, results, ...extraContext };
  }
  const { text, files } = said(question, earlier, param);
  const after = words.length === 0 ? undefined : said(words, [], param);
  const replay = { rounds, ...(after && { after: after.text }) };
  return { text, files: [...files, ...(after?.files ?? [])], replay, ...extraContext };
}

function instructionText(instructions: readonly string[], param: string): Pick<NewInput, "extraContext"> {
  const text = instructions.filter((part) => part.trim() !== "").join("\n\n");
  if (text.length > MAX_EXTRA_CONTEXT_CHARS) throw tooLong(param, text.length, MAX_EXTRA_CONTEXT_CHARS);
  return text === "" ? {} : { extraContext: `${INSTRUCTIONS_INTRO}\n\n${text}` };
}

/** New turns as one message, after a quotation of earlier ones. */
function said(newTurns: readonly Turn[], earlier: readonly Turn[], param: string): Pick<NewInput, "text" | "files"> {
  const texts = newTurns.map((turn) => (turn.role === "user" ? turn.text : quotedTurn({ ...turn, files: [] })));
  const files = newTurns.flatMap((turn) => turn.files);
  if (texts.every((text) => text.trim() === "") && files.length === 0) {
    const message = `${param}: nothing is said to the agent`;
    throw new IsopodError("invalid_request", message, "The last message has to be the user's.", { param });
  }
  const message = texts.filter((text) => text !== "").join("\n\n");
  const quotable = Math.min(MAX_INPUT_CHARS - message.length - FRAME_CHARS, MAX_QUOTED_CHARS);
  if (quotable < 0) throw tooLong(param, message.length, MAX_INPUT_CHARS - FRAME_CHARS);
  return { text: `${quotedTurns(earlier, quotable)}${message}`, files };
}

const INSTRUCTIONS_INTRO = "The program through which this message came asks of every answer:";

/** Earlier turns between lines that mark them as earlier; empty where there are none. */
function quotedTurns(turns: readonly Turn[], maxChars: number): string {
  if (turns.length === 0) return "";
  const lines = turns.map(quotedTurn).join("\n\n");
  const kept = tail(lines, maxChars);
  const cut = kept.length < lines.length ? `[${lines.length - kept.length} characters were left out here.]\n` : "";
  return `[The conversation before this message:]\n\n${cut}${kept}\n\n[The message that is to be answered:]\n\n`;
}

function tooLong(param: string, chars: number, max: number): IsopodError {
  const message = `${param}: ${chars} characters are more than the ${max} that can be taken at once`;
  return new IsopodError("invalid_request", message, undefined, { param, reason: "string_above_max_length" });
}

const ROLE_LABELS = { user: "User", assistant: "You", tool: "Result of a tool" } as const;

function quotedTurn({ role, name, text, files, calls = [] }: Turn): string {
  const label = name === undefined ? ROLE_LABELS[role] : `${ROLE_LABELS[role]} (${name})`;
  const attached = files.length === 0 ? "" : ` [${files.length === 1 ? "a file" : `${files.length} files`}]`;
  const called = calls.map(({ tool, args }) => ` [called ${tool}(${JSON.stringify(args)})]`).join("");
  return `${label}:${attached} ${text}${called}`;
}

/** The messages of a chat as a conversation. @throws IsopodError `invalid_request` for an image of an unknown type */
export function chatConversation(messages: readonly ChatMessage[]): Conversation {
  const conversation: Conversation = { instructions: [], turns: [] };
  for (const [index, message] of messages.entries()) {
    const parts = chatParts(message);
    if (message.role === "system" || message.role === "developer") conversation.instructions.push(chatText(parts));
    else {
      const turn = { ...chatRole(message), text: chatText(parts), files: chatFiles(parts, index) };
      conversation.turns.push({ ...turn, ...chatCalls(message) });
    }
  }
  return conversation;
}

function chatRole(message: ChatMessage): Pick<Turn, "role" | "name"> {
  const role = message.role === "function" ? "tool" : message.role;
  if (role !== "user" && role !== "assistant") return { role: "tool" };
  return "name" in message && message.name !== undefined ? { role, name: message.name } : { role };
}

function chatCalls(message: ChatMessage): Pick<Turn, "calls" | "callId"> {
  if (message.role === "tool" && message.tool_call_id) return { callId: message.tool_call_id };
  if (message.role !== "assistant" || !message.tool_calls?.length) return {};
  return { calls: message.tool_calls.map(({ id, function: of }) => sentCall(id, of.name, of.arguments)) };
}

function chatParts({ content }: ChatMessage): readonly ChatPart[] {
  if (content === null || content === undefined) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function chatText(parts: readonly ChatPart[]): string {
  return parts
    .flatMap((part) => (part.type === "text" ? [part.text] : part.type === "refusal" ? [part.refusal] : []))
    .join("\n");
}

function chatFiles(parts: readonly ChatPart[], message: number): AttachedFile[] {
  return parts.flatMap((part, index) => {
    const at = `messages[${message}].content[${index}]`;
    if (part.type === "image_url") return [requireImage({ param: `${at}.image_url.url`, url: part.image_url.url })];
    if (part.type === "input_audio") {
      const { data, format } = part.input_audio;
      const url = `data:audio/${format === "mp3" ? "mpeg" : "wav"};base64,${data}`;
      return [{ param: `${at}.input_audio.data`, url, name: `recording.${format}` }];
    }
    if (part.type !== "file") return [];
    const { file_data: url, filename: name } = part.file;
    return [{ param: `${at}.file.file_data`, url, ...(name !== undefined && { name }) }];
  });
}

/** The input of a response as a conversation. @throws IsopodError `invalid_request` for an image of an unknown type */
export function responsesConversation({ input, instructions }: ResponsesRequest): Conversation {
  if (typeof input === "string") {
    return { instructions: [instructions ?? ""], turns: [{ role: "user", text: input, files: [] }] };
  }
  return {
    instructions: [instructions ?? "", ...input.flatMap(itemInstruction)],
    turns: withJoinedCalls(input.flatMap(itemTurn)),
  };
}

function itemInstruction(item: InputItem): string[] {
  return item.type === "message" && !isTurnRole(item.role) ? [itemText(itemParts(item.content))] : [];
}

function itemTurn(item: InputItem, index: number): Turn[] {
  if (item.type === "message") {
    if (!isTurnRole(item.role)) return [];
    const parts = itemParts(item.content);
    return [{ role: item.role, text: itemText(parts), files: itemFiles(parts, index) }];
  }
  if (item.type === "function_call") {
    const calls = [sentCall(item.call_id, item.name, item.arguments)];
    return [{ role: "assistant", text: "", files: [], calls }];
  }
  if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") return [];
  const text = typeof item.output === "string" ? item.output : item.output.map(outputText).join("\n");
  return [{ role: "tool", text, files: [], ...(item.type === "function_call_output" && { callId: item.call_id }) }];
}

function outputText(part: { type: string; text?: unknown }): string {
  return part.type === "input_text" && typeof part.text === "string" ? part.text : JSON.stringify(part);
}

/** The message and the calls of one response are items of their own, and one answer. */
function withJoinedCalls(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (turn.calls === undefined || last?.role !== "assistant") joined.push(turn);
    else joined[joined.length - 1] = { ...last, calls: [...(last.calls ?? []), ...turn.calls] };
  }
  return joined;
}

function isTurnRole(role: string): role is "user" | "assistant" {
  return role === "user" || role === "assistant";
}

function itemParts(content: string | ResponsePart[]): ResponsePart[] {
  return typeof content === "string" ? [{ type: "input_text", text: content }] : content;
}

function itemText(parts: readonly ResponsePart[]): string {
  return parts
    .flatMap((part) => ("text" in part ? [part.text] : part.type === "refusal" ? [part.refusal] : []))
    .join("\n");
}

function itemFiles(parts: readonly ResponsePart[], item: number): AttachedFile[] {
  return parts.flatMap((part, index) => {
    const at = `input[${item}].content[${index}]`;
    if (part.type === "input_image") return [requireImage({ param: `${at}.image_url`, url: part.image_url })];
    if (part.type !== "input_file") return [];
    const { file_data: url, filename: name } = part;
    return [{ param: `${at}.file_data`, url, ...(name !== undefined && { name }) }];
  });
}
