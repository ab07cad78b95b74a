import { z } from "zod";
import { within } from "../../lib/deadline.ts";
import type { Author, Conversation, InboundOutcome, ReceiveResult } from "../channel.ts";
import { ignore, refuse } from "../webhook.ts";
import { credentialsMissing, type FeishuContext, feishuCredentials } from "./account.ts";
import { botOpenId } from "./bot.ts";
import { readContent } from "./content.ts";
import type { FeishuMessage, FeishuPressed, FeishuRecalled, FeishuReceived, FeishuUserId } from "./event.ts";
import { callFeishu } from "./open-api.ts";

/** Feishu gives a webhook three seconds. */
const ANSWER_MS = 2000;

/**
 * Converts a message. Answers 503 if it cannot decide now whether the bot is addressed: Feishu then retries. Feishu has
 * no event for edits.
 */
export async function receiveMessage(
  { sender, message }: FeishuReceived,
  context: FeishuContext,
): Promise<ReceiveResult> {
  const author = authorOf(sender.sender_id, sender.sender_type);
  if (author === undefined) return ignore("it has no sender");
  if (author.isBot && !context.account.allowBots) return ignore("an app wrote it");
  const mentions = message.mentions ?? [];
  const isDirect = message.chat_type === "p2p";
  const needsBot = author.isBot || mentions.length > 0;
  const bot = needsBot ? await botOf(context) : undefined;
  if (needsBot && typeof bot !== "string")
    return bot ?? refuse("unavailable", "Feishu does not answer who the bot is.");
  if (author.id === bot) return ignore("the bot itself wrote it");
  const content = readContent(message, typeof bot === "string" ? bot : undefined);
  if (content === undefined) return ignore(`a message of the type ${message.message_type} without content`);
  const { text, attachments, quoted } = content;
  if (text === "" && attachments.length === 0 && quoted === undefined) return ignore("it has no content");
  return {
    kind: "events",
    events: [
      {
        kind: "message",
        dedupeId: message.message_id,
        messageId: message.message_id,
        text,
        sender: author,
        ...placeOf(message),
        mentioned: isDirect || mentions.some(({ id }) => id?.open_id !== undefined && id.open_id === bot),
        ...(message.parent_id !== undefined && { replyToId: message.parent_id }),
        ...(quoted !== undefined && { quoted: { text: quoted } }),
        attachments,
      },
    ],
  };
}

/** The bot's open id; or the refusal of a request that needs it while it cannot be had. */
async function botOf(context: FeishuContext): Promise<string | ReceiveResult | undefined> {
  if (context.account.botOpenId !== undefined) return context.account.botOpenId;
  const credentials = feishuCredentials(context);
  if (credentials === undefined) return refuse("unavailable", credentialsMissing(context));
  return botOpenId(context, credentials);
}

function authorOf({ open_id, union_id, user_id }: FeishuUserId, type: string): Author | undefined {
  const id = open_id ?? union_id ?? user_id;
  if (id === undefined || id === null || id === "") return undefined;
  return { id, ...(type !== "user" && { isBot: true }) };
}

/** A topic is answered by replies to its first message. */
function placeOf(message: Pick<FeishuMessage, "chat_id" | "chat_type" | "thread_id" | "root_id" | "message_id">) {
  const { chat_id: id, chat_type, thread_id: threadId, root_id: root, message_id: messageId } = message;
  const kind = chat_type === "p2p" ? "direct" : "group";
  const conversation: Conversation = { kind, id, ...(threadId !== undefined && { threadId }) };
  return { conversation, ...(threadId !== undefined && { via: root ?? messageId }) };
}

/** The value of our buttons: what a press says, and the kind of its chat, which Feishu does not tell. */
export const buttonValue = z.object({
  says: z.string().min(1).max(200),
  kind: z.enum(["direct", "group", "channel"]),
  threadId: z.string().optional(),
});

/** The message that a pressed button stands for. */
export function receivePress(eventId: string, { operator, action, context }: FeishuPressed): ReceiveResult {
  const pressed = buttonValue.safeParse(action.value).data;
  const sender = authorOf(operator, "user");
  if (pressed === undefined || sender === undefined) return ignore("a button of a card that is not ours");
  const { says: text, kind, threadId } = pressed;
  const { open_message_id: messageId, open_chat_id: id } = context;
  return {
    kind: "events",
    events: [
      {
        ...{ kind: "message", dedupeId: eventId, messageId, text, sender, mentioned: true, attachments: [] },
        conversation: { kind, id, ...(threadId !== undefined && { threadId }) },
        ...(threadId !== undefined && { via: messageId }),
      },
    ],
    answer: ([outcome]) => Response.json({ toast: toastFor(outcome) }),
  };
}

function toastFor(outcome: InboundOutcome | undefined) {
  if (outcome?.kind === "ignored") return { type: "warning", content: `Not taken up: ${outcome.reason}` };
  return { type: "success", content: "OK", i18n: { zh_cn: "已收到", en_us: "Received" } };
}

const recalledMessage = z.object({
  data: z.object({
    items: z.array(
      z.object({
        thread_id: z.string().optional(),
        root_id: z.string().optional(),
        sender: z.object({ id: z.string().min(1), sender_type: z.string() }),
      }),
    ),
  }),
});
const chatAnswer = z.object({ data: z.object({ chat_mode: z.string() }) });

/** The deletion that a recall is. Its event names no author and no kind of chat: Feishu is asked for both. */
export async function receiveRecall(recall: FeishuRecalled, context: FeishuContext): Promise<ReceiveResult> {
  const { message_id: messageId, chat_id } = recall;
  const credentials = feishuCredentials(context);
  if (credentials === undefined) return refuse("unavailable", credentialsMissing(context));
  const get = (path: string, signal: AbortSignal) => callFeishu(context, credentials, { path, method: "GET" }, signal);
  const [message, chat] = await within(ANSWER_MS, (signal) =>
    Promise.all([
      get(`im/v1/messages/${encodeURIComponent(messageId)}`, signal),
      get(`im/v1/chats/${encodeURIComponent(chat_id)}`, signal),
    ]),
  );
  const [known] = (message.kind === "ok" && recalledMessage.safeParse(message.json).data?.data.items) || [];
  const mode = chat.kind === "ok" ? chatAnswer.safeParse(chat.json).data?.data.chat_mode : undefined;
  if (known === undefined || mode === undefined) return ignore("a recall of which Feishu does not say whose it is");
  if (known.sender.sender_type !== "user") return ignore("a recall of a message that an app wrote");
  const { conversation } = placeOf({ ...known, message_id: messageId, chat_id, chat_type: mode });
  const sender = { id: known.sender.id };
  return {
    kind: "events",
    events: [{ kind: "deletion", dedupeId: `recall:${messageId}`, messageId, sender, conversation }],
  };
}
