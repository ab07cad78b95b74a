import { z } from "zod";
import { graphError } from "./graph-error.ts";

const text = z.string().optional();

const media = z.object({ id: text, mime_type: text, caption: text, filename: text, voice: z.boolean().optional() });

const choice = z.object({ id: z.string(), title: z.string() });

const card = z.object({
  name: z.object({ formatted_name: text }).optional(),
  phones: z.array(z.object({ phone: text })).default([]),
  emails: z.array(z.object({ email: text })).default([]),
});

/** What a message says, by its type. */
const content = z.object({
  type: z.string(),
  context: z
    .object({
      id: text,
      from: text,
      forwarded: z.boolean().optional(),
      frequently_forwarded: z.boolean().optional(),
    })
    .optional(),
  text: z.object({ body: z.string() }).optional(),
  image: media.optional(),
  video: media.optional(),
  audio: media.optional(),
  document: media.optional(),
  sticker: media.optional(),
  location: z.object({ latitude: z.number(), longitude: z.number(), name: text, address: text }).optional(),
  contacts: z.array(card).optional(),
  interactive: z
    .object({
      button_reply: choice.optional(),
      list_reply: choice.optional(),
      nfm_reply: z.object({ body: text, response_json: text }).optional(),
    })
    .optional(),
  button: z.object({ text: z.string(), payload: text }).optional(),
  order: z
    .object({
      text: text,
      product_items: z.array(
        z.object({
          product_retailer_id: z.string(),
          quantity: z.number(),
          item_price: z.number(),
          currency: z.string(),
        }),
      ),
    })
    .optional(),
  errors: z.array(graphError).optional(),
});

/** A message. One whose sender hides the number has `from_user_id` alone. */
export const whatsAppMessage = content.extend({
  id: z.string().min(1),
  from: text,
  from_user_id: text,
  group_id: text,
  edit: z.object({ original_message_id: z.string(), message: content }).optional(),
  revoke: z.object({ original_message_id: z.string() }).optional(),
});

/** What became of a message of the business. */
export const whatsAppStatus = z.object({
  id: z.string().min(1),
  status: z.string(),
  recipient_id: text,
  recipient_user_id: text,
  recipient_type: text,
  biz_opaque_callback_data: text,
  errors: z.array(graphError).optional(),
});

const contact = z.object({
  wa_id: text,
  user_id: text,
  profile: z.object({ name: text, username: text }).optional(),
});

/** The value of a change of the field `messages`. Messages and statuses are read one by one. */
export const messagesValue = z.object({
  metadata: z.object({ phone_number_id: z.string(), display_phone_number: z.string().default("") }),
  /** Names only: a message is read without them. */
  contacts: z.array(contact).catch([]),
  messages: z.array(z.unknown()).default([]),
  statuses: z.array(z.unknown()).default([]),
  errors: z.array(graphError).default([]),
});

const change = z.object({ field: z.string(), value: z.unknown() });

/** The body of a call: the changes of all numbers that the app is subscribed to. */
export const notification = z.object({
  object: z.literal("whatsapp_business_account"),
  entry: z.array(z.object({ changes: z.array(change) })),
});

export type WhatsAppContent = z.output<typeof content>;
export type WhatsAppMessage = z.output<typeof whatsAppMessage>;
export type WhatsAppMedia = z.output<typeof media>;
export type WhatsAppStatus = z.output<typeof whatsAppStatus>;
export type WhatsAppContact = z.output<typeof contact>;
