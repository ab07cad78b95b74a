import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import { chatFields, secretField, settingField, settingValue } from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

/** A message template that Meta has approved, for when the conversation is closed. */
const reopenTemplate = z.strictObject({
  name: z.string().min(1).max(512).describe("Its name in WhatsApp Manager."),
  language: z.string().min(2).max(15).default("en_US").describe("Its language, such as `en_US` or `zh_CN`."),
  parameter: z
    .string()
    .regex(/^(?:1|[a-z][a-z0-9_]*)$/, "use 1, or the name of the variable")
    .optional()
    .describe("The variable of its body that gets the message: `1`, or its name. Without one, the message waits."),
});

/** The configuration of a WhatsApp number. */
export const whatsappAccount = z.strictObject({
  phoneNumberId: settingField(
    "WHATSAPP_PHONE_NUMBER_ID",
    z.string().regex(/^\d+$/, "use the id of the number, not the number"),
    "The id of the business's number, as API Setup shows it",
  ),
  businessAccountId: z
    .string()
    .regex(/^\d+$/, "use the id of the WhatsApp Business Account")
    .optional()
    .describe("The id of the WhatsApp Business Account, with which connecting subscribes the app to it."),
  accessToken: secretField("WHATSAPP_ACCESS_TOKEN", "The access token of a system user"),
  appSecret: secretField("WHATSAPP_APP_SECRET", "The secret of the Meta app, which signs its calls"),
  verifyToken: secretField(
    "WHATSAPP_VERIFY_TOKEN",
    "A word of your own, which Meta repeats when it checks the webhook",
  ),
  apiBase: address.default("https://graph.facebook.com/v26.0").describe("Address and version of the Graph API."),
  templates: z
    .strictObject({
      reopen: reopenTemplate
        .optional()
        .describe("The template that is sent in place of a message to someone who has not written for 24 hours."),
    })
    .prefault({})
    .describe("Message templates."),
  ...chatFields,
});

/** A WhatsApp number's parsed configuration. */
export type WhatsAppAccount = z.output<typeof whatsappAccount>;

/** The channel context of one WhatsApp number. */
export type WhatsAppContext = ChannelContext<WhatsAppAccount>;

/** What requests to the Graph API need. */
export interface Credentials {
  token: string;
  phoneNumberId: string;
}

/** What requests need; undefined if a variable is not set, or has no id in it. */
export function credentials(context: WhatsAppContext): Credentials | undefined {
  const { accessToken, phoneNumberId: setting } = context.account;
  const [token, phoneNumberId] = [context.secret(accessToken), settingValue(setting, context)];
  if (!token || !phoneNumberId || !/^\d+$/.test(phoneNumberId)) return undefined;
  return { token, phoneNumberId };
}

/** What an account without credentials is told. */
export function credentialsMissing({ accessToken, phoneNumberId }: WhatsAppAccount): string {
  const number = typeof phoneNumberId === "string" ? "phoneNumberId" : phoneNumberId.id;
  return `Set ${accessToken.id} to the access token, and ${number} to the id of the number.`;
}
