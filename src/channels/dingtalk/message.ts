import { z } from "zod";

const file = z.object({
  downloadCode: z.string().optional(),
  fileName: z.string().optional(),
  videoType: z.string().optional(),
  recognition: z.string().optional(),
  /** In milliseconds. */
  duration: z.coerce.number().optional().catch(undefined),
});

const piece = z.object({
  text: z.string().optional(),
  type: z.string().optional(),
  downloadCode: z.string().optional(),
});

const replied = z.object({
  msgId: z.string().optional(),
  content: z.object({ text: z.string().optional(), richText: z.array(piece).optional() }).optional(),
});

const message = z.object({
  msgId: z.string().min(1),
  msgtype: z.string(),
  /** `1` for a direct conversation, `2` for a group. */
  conversationType: z.string(),
  conversationId: z.string().min(1),
  conversationTitle: z.string().optional(),
  senderId: z.string().min(1),
  /** Only of people of the robot's own company. */
  senderStaffId: z.string().optional(),
  senderNick: z.string().optional(),
  chatbotUserId: z.string().optional(),
  robotCode: z.string().optional(),
  isInAtList: z.boolean().optional(),
  atUsers: z.array(z.object({ dingtalkId: z.string().optional() })).nullish(),
  sessionWebhook: z.string().optional(),
  sessionWebhookExpiredTime: z.coerce.number().optional(),
  originalMsgId: z.string().optional(),
  text: z.object({ content: z.string().default(""), repliedMsg: replied.optional() }).optional(),
  content: file.extend({ richText: z.array(piece).optional(), repliedMsg: replied.optional() }).nullish(),
});

export type DingtalkMessage = z.output<typeof message>;

/** Reads a robot's message; or the problem with it. */
export function readMessage(json: unknown): DingtalkMessage | { problem: string } {
  const read = message.safeParse(json);
  return read.success ? read.data : { problem: z.prettifyError(read.error) };
}
