import type { Update } from "@grammyjs/types";
import { z } from "zod";

const user = z.object({
  id: z.int(),
  is_bot: z.boolean(),
  first_name: z.string(),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

const chat = z.object({
  id: z.int(),
  type: z.enum(["private", "group", "supergroup", "channel"]),
  title: z.string().optional(),
  username: z.string().optional(),
  is_direct_messages: z.boolean().optional(),
});

/** Offset and length count UTF-16 units, as JavaScript's strings do. */
const entity = z.object({ type: z.string(), offset: z.int(), length: z.int(), user: user.optional() });

const file = z.object({
  file_id: z.string(),
  file_size: z.number().optional(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
});

/** A recording has a length in seconds. */
const recording = file.extend({ duration: z.number().optional() });

const coordinates = z.object({ latitude: z.number(), longitude: z.number() });

const origin = z.discriminatedUnion("type", [
  z.object({ type: z.literal("user"), sender_user: user }),
  z.object({ type: z.literal("hidden_user"), sender_user_name: z.string() }),
  z.object({ type: z.literal("chat"), sender_chat: chat }),
  z.object({ type: z.literal("channel"), chat }),
]);

const authored = {
  from: user.optional(),
  sender_chat: chat.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
};

const message = z.object({
  ...authored,
  message_id: z.int(),
  chat,
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
  entities: z.array(entity).optional(),
  caption_entities: z.array(entity).optional(),
  photo: z.array(file).optional(),
  document: file.optional(),
  voice: recording.optional(),
  audio: recording.optional(),
  video: file.optional(),
  video_note: file.optional(),
  animation: file.optional(),
  sticker: file.extend({ emoji: z.string().optional() }).optional(),
  location: coordinates.optional(),
  venue: z.object({ title: z.string(), address: z.string() }).optional(),
  contact: z.object({ first_name: z.string(), last_name: z.string().optional(), phone_number: z.string() }).optional(),
  reply_to_message: z
    .object({
      ...authored,
      message_id: z.int(),
      forum_topic_created: z.object({ name: z.string() }).optional(),
    })
    .optional(),
  media_group_id: z.string().optional(),
  edit_date: z.int().optional(),
  quote: z.object({ text: z.string() }).optional(),
  external_reply: z.object({ origin }).optional(),
  forward_origin: origin.optional(),
  is_automatic_forward: z.boolean().optional(),
  ephemeral_message_id: z.int().optional(),
});

/** A press of one of the bot's buttons; its message may be inaccessible. */
const press = z.object({
  id: z.string(),
  from: user,
  data: z.string().optional(),
  message: message.pick({ message_id: true, chat: true, message_thread_id: true, is_topic_message: true }).optional(),
});

const update = z.object({
  update_id: z.int(),
  message: message.optional(),
  edited_message: message.optional(),
  channel_post: message.optional(),
  edited_channel_post: message.optional(),
  callback_query: press.optional(),
});

/** The output of a schema for a documented type; does not compile if the schema could reject the type. */
type Reading<_Documented extends z.input<Schema>, Schema extends z.ZodType> = z.output<Schema>;

export type TelegramUser = z.output<typeof user>;
export type TelegramChat = z.output<typeof chat>;
export type TelegramEntity = z.output<typeof entity>;
export type TelegramFile = z.output<typeof file>;
export type TelegramOrigin = z.output<typeof origin>;
/** The fields of a message that are read. */
export type TelegramMessage = NonNullable<Reading<Update, typeof update>["message"]>;

export type TelegramPress = z.output<typeof press>;

export type ReadUpdate =
  | { kind: "press"; updateId: number; press: TelegramPress }
  /** A message, or a new version of one: then `edited` is set. */
  | { kind: "message"; updateId: number; message: TelegramMessage; edited: boolean }
  /** An irrelevant update type. */
  | { kind: "other"; reason: string }
  | { kind: "invalid"; problem: string };

/** Parses one webhook update. Unknown fields and update types are ignored. */
export function readUpdate(body: unknown): ReadUpdate {
  const parsed = update.safeParse(body);
  if (!parsed.success) return { kind: "invalid", problem: z.prettifyError(parsed.error) };
  const { update_id: updateId, callback_query: pressed } = parsed.data;
  if (pressed !== undefined) return { kind: "press", updateId, press: pressed };
  const { message: sent, channel_post: post, edited_message: edit, edited_channel_post: editedPost } = parsed.data;
  const [content, edited] = [sent ?? post, edit ?? editedPost];
  if (content !== undefined) return { kind: "message", updateId, message: content, edited: false };
  if (edited !== undefined) return { kind: "message", updateId, message: edited, edited: true };
  return { kind: "other", reason: `an update of the kind ${updateKind(body)}` };
}

function updateKind(body: unknown): string {
  const keys = typeof body === "object" && body !== null ? Object.keys(body) : [];
  return keys.find((key) => key !== "update_id") ?? "nothing";
}
