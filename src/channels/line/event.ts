import { z } from "zod";

const text = z.string().optional();

const source = z.object({ type: z.string(), userId: text, groupId: text, roomId: text });

/** Offsets count UTF-16 units, as JavaScript's strings do. */
const mentionee = z.object({ index: z.int(), length: z.int(), type: z.string(), isSelf: z.boolean().optional() });

const content = z.object({
  id: z.string().min(1),
  type: z.string(),
  text,
  mention: z.object({ mentionees: z.array(mentionee) }).optional(),
  quoteToken: text,
  quotedMessageId: text,
  fileName: text,
  fileSize: z.number().optional(),
  /** Of a recording or film, in milliseconds. */
  duration: z.number().optional(),
  contentProvider: z.object({ type: z.string(), originalContentUrl: text }).optional(),
  imageSet: z.object({ id: z.string() }).optional(),
  title: text,
  address: text,
  latitude: z.number().optional(),
  longitude: z.number().optional(),
  keywords: z.array(z.string()).optional(),
});

/** An event of any kind. */
export const lineEvent = z.object({
  type: z.string(),
  mode: z.string(),
  webhookEventId: z.string().min(1),
  source: source.optional(),
  replyToken: text,
  message: content.optional(),
  unsend: z.object({ messageId: z.string() }).optional(),
  postback: z.object({ data: z.string() }).optional(),
});

/** The body of a call. Events are read one by one. */
export const lineCall = z.object({ destination: z.string(), events: z.array(z.unknown()) });

export type LineEvent = z.output<typeof lineEvent>;
export type LineContent = z.output<typeof content>;
