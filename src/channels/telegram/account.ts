import { z } from "zod";
import { address, secretRef } from "../../config/secret-ref.ts";
import { chatFields } from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

/** The configuration of a Telegram bot. */
export const telegramAccount = z.strictObject({
  botToken: secretRef
    .default({ source: "env", id: "TELEGRAM_BOT_TOKEN" })
    .describe("The token that BotFather gave, `<id>:<secret>`, by the name of its variable."),
  webhookSecret: secretRef
    .default({ source: "env", id: "TELEGRAM_WEBHOOK_SECRET" })
    .describe(
      "The `secret_token` that setWebhook was called with, by the name of its variable; nothing enters without it.",
    ),
  apiBase: address.default("https://api.telegram.org").describe("Address of the Bot API, for those who run their own."),
  username: z
    .string()
    .regex(/^\w{1,64}$/, "use the bot's username without the @")
    .optional()
    .describe("The bot's username without the @; asked of Telegram when it is needed and not given."),
  ...chatFields,
  commandMenu: z
    .boolean()
    .default(true)
    .describe("Whether owners see the commands, those of skills included, in the menu of their own chat with the bot."),
});

/** A Telegram bot's parsed configuration. */
export type TelegramAccount = z.output<typeof telegramAccount>;

/** The channel context of one Telegram bot. */
export type TelegramContext = ChannelContext<TelegramAccount>;
