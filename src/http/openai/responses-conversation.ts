import type { Conversation, SentFile, Turn } from "./conversation.ts";
import { requireImage } from "./files.ts";
import type { InputItem, ResponsePart, ResponsesRequest } from "./responses-schema.ts";

/** The input of a response as a conversation. @throws IsopodError `invalid_request` for an image of an unknown type */
export function responsesConversation({ input, instructions }: ResponsesRequest): Conversation {
  if (typeof input === "string") {
    return { instructions: [instructions ?? ""], turns: [{ role: "user", text: input, files: [] }] };
  }
  return {
    instructions: [instructions ?? "", ...input.flatMap(instructionIn)],
    turns: input.flatMap(turnIn),
  };
}

function instructionIn(item: InputItem): string[] {
  return item.type === "message" && !isSpoken(item.role) ? [textIn(partsOf(item.content))] : [];
}

function turnIn(item: InputItem, index: number): Turn[] {
  if (item.type === "message") {
    if (!isSpoken(item.role)) return [];
    const parts = partsOf(item.content);
    return [{ role: item.role, text: textIn(parts), files: filesIn(parts, index) }];
  }
  if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") return [];
  const text = typeof item.output === "string" ? item.output : JSON.stringify(item.output);
  return [{ role: "tool", text, files: [] }];
}

function isSpoken(role: string): role is "user" | "assistant" {
  return role === "user" || role === "assistant";
}

function partsOf(content: string | ResponsePart[]): ResponsePart[] {
  return typeof content === "string" ? [{ type: "input_text", text: content }] : content;
}

function textIn(parts: readonly ResponsePart[]): string {
  return parts
    .flatMap((part) => ("text" in part ? [part.text] : part.type === "refusal" ? [part.refusal] : []))
    .join("\n");
}

function filesIn(parts: readonly ResponsePart[], item: number): SentFile[] {
  return parts.flatMap((part, index) => {
    const at = `input[${item}].content[${index}]`;
    if (part.type === "input_image") return [requireImage({ param: `${at}.image_url`, url: part.image_url })];
    if (part.type !== "input_file") return [];
    const { file_data: url, filename: name } = part;
    return [{ param: `${at}.file_data`, url, ...(name !== undefined && { name }) }];
  });
}
