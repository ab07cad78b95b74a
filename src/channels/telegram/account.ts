import { z } from "zod";
import { agentMayWrite } from "../../config/field-marks.ts";
import { address, secretRef } from "../../config/secret-ref.ts";
import type { ChannelContext } from "../channel.ts";
import { groupRules } from "../group-rules.ts";
import { heartbeatVisibility } from "../heartbeat-visibility.ts";

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
  dmPolicy: z
    .enum(["pairing", "allowlist", "open", "disabled"])
    .default("pairing")
    .describe("Who may write to the bot directly: paired senders, those in allowFrom, everyone, or nobody."),
  allowFrom: z
    .array(z.string().min(1))
    .default([])
    .describe("Senders who may write directly: user ids, `@usernames`, or `*` for everyone."),
  groupPolicy: z
    .enum(["allowlist", "open", "disabled"])
    .default("allowlist")
    .describe("Which groups the bot answers in: those in groups, all, or none."),
  groups: z
    .record(z.string(), groupRules)
    .default({})
    .describe("Groups that the bot answers in, by chat id (`-100…`); `*` stands for every other."),
  heartbeatVisibility,
  blockStreaming: z
    .boolean()
    .optional()
    .meta(agentMayWrite("Whether a long reply comes in blocks while it is being written; else the agent's default.")),
  replyToMode: z
    .enum(["off", "first", "all"])
    .default("off")
    .meta(
      agentMayWrite(
        "Which texts of a reply answer the message natively, unless the agent says so: none, the first, or all.",
      ),
    ),
  deliveries: z
    .strictObject({
      atLeastOnce: z
        .boolean()
        .default(false)
        .describe(
          "Whether a message whose arrival is unknown is sent again, so that it may come twice, instead of being told of.",
        ),
    })
    .prefault({})
    .describe("What happens to messages whose arrival is unknown."),
  reactionLevel: z
    .enum(["off", "ack", "minimal", "extensive"])
    .default("minimal")
    .meta(
      agentMayWrite(
        "Reactions with emojis: none, only to say that a message has come, or the agent's own, seldom or freely.",
      ),
    ),
  commandMenu: z
    .boolean()
    .default(true)
    .describe("Whether owners see the commands, those of skills included, in the menu of their own chat with the bot."),
  requireMention: z
    .boolean()
    .default(true)
    .describe("Whether a group has to address the bot: by a mention, a reply or a command with its name."),
});

/** A Telegram bot's parsed configuration. */
export type TelegramAccount = z.output<typeof telegramAccount>;

/** The channel context of one Telegram bot. */
export type TelegramContext = ChannelContext<TelegramAccount>;
