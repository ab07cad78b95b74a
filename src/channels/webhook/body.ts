import { z } from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../lib/json.ts";
import { head } from "../../lib/text.ts";
import type { Attachment, Author, Conversation, InboundMessage } from "../channel.ts";
import { conversationId } from "./conversation-id.ts";

/** Most characters of a JSON object that is passed on as its text. */
const MAX_JSON_CHARS = 32_000;
const MAX_ATTACHMENTS = 10;

const sender = z.object({
  id: conversationId.describe("Who writes, by the service's id."),
  name: z.string().max(200).exactOptional().describe("The sender's name, for people."),
});

const attachment = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .describe("Where the file is; it is fetched when the run begins."),
  name: z.string().min(1).max(200).optional().describe("Its name; else the last part of its address."),
});

/** A message in a webhook's body: the object itself, or its `data`. Other fields are ignored. */
export const webhookMessage = z.object({
  text: z.string().describe("What the sender says; may be empty beside attachments."),
  conversation: conversationId
    .optional()
    .describe("The conversation it belongs to, if that is not the sender's own; replies name it."),
  sender: z
    .union([conversationId.transform((id): z.output<typeof sender> => ({ id })), sender])
    .optional()
    .describe("Who writes: `{id, name?}`, or the id alone."),
  thread: conversationId.optional().describe("A thread of the conversation, with a session of its own in groups."),
  attachments: z.array(attachment).max(MAX_ATTACHMENTS).default([]).describe("Files."),
});

type WebhookMessage = z.output<typeof webhookMessage>;

export type ReadBody = { kind: "message"; message: InboundMessage } | { kind: "invalid"; problem: string };

/**
 * Reads a body: `{type, data: {text, …}}` or `{text, …}` is a message, any other object is passed on as text.
 * @param messageId the request's `webhook-id`
 * @param accountId names the sender where the body names none
 */
export function readBody(body: Json, messageId: string, accountId: string): ReadBody {
  if (!isJsonObject(body) || Object.keys(body).length === 0) {
    return { kind: "invalid", problem: "The body is no JSON object with something in it." };
  }
  const said = [body, body.data].find((part) => isJsonObject(part) && typeof part.text === "string");
  const parsed = webhookMessage.safeParse(said ?? { text: objectText(body) });
  if (!parsed.success) return { kind: "invalid", problem: z.prettifyError(parsed.error) };
  const { text, attachments } = parsed.data;
  if (text.trim() === "" && attachments.length === 0) return { kind: "invalid", problem: "text: it is empty." };
  const author = authorOf(parsed.data, accountId);
  return {
    kind: "message",
    message: {
      kind: "message",
      dedupeId: messageId,
      text,
      sender: author,
      conversation: placeOf(parsed.data, author),
      mentioned: true,
      attachments: attachments.map(fileOf),
      messageId,
    },
  };
}

function objectText(body: JsonObject): string {
  const text = JSON.stringify(body, null, 2);
  const kept = head(text, MAX_JSON_CHARS);
  return kept.length === text.length ? text : `${kept}\n[${text.length - kept.length} more characters]`;
}

/** A conversation without a sender is its own only author. */
function authorOf({ sender, conversation }: WebhookMessage, accountId: string): Author {
  return { id: conversation ?? accountId, ...sender };
}

/** A conversation that is not the sender's own may have several authors, so it is a group. */
function placeOf({ conversation, thread }: WebhookMessage, { id }: Author): Conversation {
  const threadId = thread === undefined ? {} : { threadId: thread };
  if (conversation === undefined || conversation === id) return { kind: "direct", id, ...threadId };
  return { kind: "group", id: conversation, ...threadId };
}

function fileOf({ url, name }: WebhookMessage["attachments"][number]): Attachment {
  const last = new URL(url).pathname.split("/").findLast((part) => part !== "");
  return { name: name ?? last ?? "file", reference: { url } };
}
