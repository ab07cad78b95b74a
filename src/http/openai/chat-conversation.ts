import type { ChatMessage, ChatPart } from "./chat-schema.ts";
import type { Conversation, SentFile, Turn } from "./conversation.ts";
import { requireImage } from "./files.ts";

/** The messages of a chat as a conversation. @throws IsopodError `invalid_request` for an image of an unknown type */
export function chatConversation(messages: readonly ChatMessage[]): Conversation {
  const conversation: Conversation = { instructions: [], turns: [] };
  for (const [index, message] of messages.entries()) {
    const parts = partsOf(message);
    if (message.role === "system" || message.role === "developer") conversation.instructions.push(textIn(parts));
    else conversation.turns.push({ ...turnOf(message), text: textIn(parts), files: filesIn(parts, index) });
  }
  return conversation;
}

function turnOf(message: ChatMessage): Pick<Turn, "role" | "name"> {
  const role = message.role === "function" ? "tool" : message.role;
  if (role !== "user" && role !== "assistant") return { role: "tool" };
  return "name" in message && message.name !== undefined ? { role, name: message.name } : { role };
}

function partsOf({ content }: ChatMessage): readonly ChatPart[] {
  if (content === null || content === undefined) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textIn(parts: readonly ChatPart[]): string {
  return parts
    .flatMap((part) => (part.type === "text" ? [part.text] : part.type === "refusal" ? [part.refusal] : []))
    .join("\n");
}

function filesIn(parts: readonly ChatPart[], message: number): SentFile[] {
  return parts.flatMap((part, index) => {
    const at = `messages[${message}].content[${index}]`;
    if (part.type === "image_url") return [requireImage({ param: `${at}.image_url.url`, url: part.image_url.url })];
    if (part.type !== "file") return [];
    const { file_data: url, filename: name } = part.file;
    return [{ param: `${at}.file.file_data`, url, ...(name !== undefined && { name }) }];
  });
}
