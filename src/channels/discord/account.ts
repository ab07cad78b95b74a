import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import { chatFields, secretField } from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

/** The configuration of a Discord application with its bot. */
export const discordAccount = z.strictObject({
  botToken: secretField("DISCORD_BOT_TOKEN", "The bot's token, from the page Bot of the application"),
  publicKey: secretField(
    "DISCORD_PUBLIC_KEY",
    "The application's public key, 64 hexadecimal digits; without it nothing enters",
  ),
  apiBase: address.default("https://discord.com/api/v10").describe("Address of Discord's API."),
  gateway: z
    .boolean()
    .default(false)
    .describe(
      "Whether ordinary messages arrive as well, over a connection that stays open, which costs up to $4.20 a month; else slash commands and buttons alone.",
    ),
  ...chatFields,
});

/** A Discord application's parsed configuration. */
export type DiscordAccount = z.output<typeof discordAccount>;

/** The channel context of one Discord application. */
export type DiscordContext = ChannelContext<DiscordAccount>;

/** The account's token; undefined if it is not set or cannot be one. */
export function botToken({ account, secret }: Pick<DiscordContext, "account" | "secret">): string | undefined {
  const token = secret(account.botToken)?.trim();
  return token !== undefined && /^[\w.-]+$/.test(token) ? token : undefined;
}

/** What an account without a token is told. */
export function tokenMissing({ botToken }: DiscordAccount): string {
  return `Set ${botToken.id} to the bot's token.`;
}

/** The application's public key; undefined if it is not set or cannot be one. */
export function publicKey({ account, secret }: Pick<DiscordContext, "account" | "secret">): string | undefined {
  const key = secret(account.publicKey)?.trim();
  return key !== undefined && /^[\da-f]{64}$/i.test(key) ? key : undefined;
}
