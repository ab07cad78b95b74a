import type { IncomingMessage } from "node:http";

/** A message of a request in the format of Chat Completions, as far as the models of evaluations read it. */
export interface ChatMessage {
  role: string;
  content?: string | { text?: string }[];
  tool_calls?: { id: string }[];
  tool_call_id?: string;
}

/** The text of a message, of all its parts. */
export function messageText({ content = "" }: ChatMessage): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}

/** The body of a request as text. */
export async function requestText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
