import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import { deliveryFields, directFields, secretField, settingField, settingValue } from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

/** The configuration of SMS by Twilio. */
export const smsAccount = z.strictObject({
  accountSid: settingField(
    "TWILIO_ACCOUNT_SID",
    z.string().regex(/^AC\w{32}$/, "use the Account SID, which begins with AC"),
    "The Account SID",
  ),
  authToken: secretField("TWILIO_AUTH_TOKEN", "The auth token, which signs Twilio's calls as well"),
  from: settingField(
    "TWILIO_PHONE_NUMBER",
    z.string().regex(/^(?:\+[1-9]\d{6,14}|\d{3,8})$/, "use a number such as +15558675310, or a short code"),
    "The number that the agent writes from; an answer comes from the number that was written to",
  ),
  messagingServiceSid: settingField(
    "TWILIO_MESSAGING_SERVICE_SID",
    z.string().regex(/^MG\w{32}$/, "use the SID of the service, which begins with MG"),
    "A messaging service that sends in place of a number",
  ),
  webhookUrl: address
    .optional()
    .describe("The webhook's address as Twilio calls and signs it, where a proxy shows the Worker another one."),
  apiBase: address.default("https://api.twilio.com").describe("Address of Twilio's API."),
  messagingApiBase: address
    .default("https://messaging.twilio.com")
    .describe("Address of Twilio's API of messaging services."),
  ...directFields,
  ...deliveryFields,
});

/** The parsed configuration of SMS. */
export type SmsAccount = z.output<typeof smsAccount>;

/** The channel context of one account. */
export type SmsContext = ChannelContext<SmsAccount>;

/** What requests to Twilio need. */
export interface Credentials {
  accountSid: string;
  authToken: string;
}

/** What requests need; undefined if a variable is not set, or has no Account SID in it. */
export function credentials(context: SmsContext): Credentials | undefined {
  const accountSid = settingValue(context.account.accountSid, context);
  const authToken = context.secret(context.account.authToken);
  return accountSid && authToken && /^\w+$/.test(accountSid) ? { accountSid, authToken } : undefined;
}

/** Who a message is from: a messaging service, or a number; undefined if neither is known. */
export function senderOf(
  context: SmsContext,
  via?: string,
): { MessagingServiceSid: string } | { From: string } | undefined {
  const { messagingServiceSid, from } = context.account;
  const service = settingValue(messagingServiceSid, context);
  if (service) return { MessagingServiceSid: service };
  const number = via ?? settingValue(from, context);
  return number ? { From: number } : undefined;
}

/** What an account is told that cannot send. */
export function settingsMissing({ accountSid, authToken, from }: SmsAccount): string {
  const [account, number] = [accountSid, from].map((setting) => (typeof setting === "string" ? "" : setting.id));
  const names = [account, authToken.id, number].filter((name) => name !== "");
  return `Set ${names.join(", ")}, as Twilio's console shows them.`;
}
