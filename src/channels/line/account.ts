import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import { deliveryFields, directFields, groupFields, replyFields, secretField } from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

/** The configuration of a LINE Official Account. */
export const lineAccount = z.strictObject({
  channelSecret: secretField("LINE_CHANNEL_SECRET", "The channel secret, which signs LINE's calls"),
  channelAccessToken: secretField("LINE_CHANNEL_ACCESS_TOKEN", "The long-lived channel access token"),
  apiBase: address.default("https://api.line.me").describe("Address of the Messaging API."),
  dataApiBase: address.default("https://api-data.line.me").describe("Address of the Messaging API's files."),
  ...directFields,
  ...groupFields,
  ...deliveryFields,
  ...replyFields,
});

/** A LINE account's parsed configuration. */
export type LineAccount = z.output<typeof lineAccount>;

/** The channel context of one LINE account. */
export type LineContext = ChannelContext<LineAccount>;

/** The account's token; undefined if it is not set. */
export function accessToken({ account, secret }: LineContext): string | undefined {
  return secret(account.channelAccessToken) || undefined;
}

/** What an account without a token is told. */
export function tokenMissing({ channelAccessToken }: LineAccount): string {
  return `Set ${channelAccessToken.id} to the channel access token.`;
}
