import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import { deliveryFields, directFields, groupFields, secretField } from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

/** The configuration of an app of DingTalk with a robot. */
export const dingtalkAccount = z.strictObject({
  clientId: secretField("DINGTALK_CLIENT_ID", "The app's Client ID, once called AppKey"),
  clientSecret: secretField(
    "DINGTALK_CLIENT_SECRET",
    "The app's Client Secret, once called AppSecret, which signs messages; nothing enters without it",
  ),
  robotCode: secretField("DINGTALK_ROBOT_CODE", "The robot's code, if it is not the Client ID"),
  token: secretField("DINGTALK_TOKEN", "The token of the app's event subscription, if it has one"),
  aesKey: secretField("DINGTALK_AES_KEY", "The aes_key of the app's event subscription, if it has one"),
  apiBase: address.default("https://api.dingtalk.com").describe("Address of DingTalk's API."),
  oapiBase: address
    .default("https://oapi.dingtalk.com")
    .describe(
      "Address of DingTalk's older API: to it files are uploaded, and the addresses that come with messages begin so.",
    ),
  ...directFields,
  ...groupFields,
  ...deliveryFields,
});

/** An app's parsed configuration. */
export type DingtalkAccount = z.output<typeof dingtalkAccount>;

/** The channel context of one app. */
export type DingtalkContext = ChannelContext<DingtalkAccount>;

/** What an app proves itself with. */
export interface DingtalkCredentials {
  clientId: string;
  clientSecret: string;
  robotCode: string;
}

/** The credentials of an account; undefined if one is not set. */
export function dingtalkCredentials({ account, secret }: DingtalkContext): DingtalkCredentials | undefined {
  const [clientId, clientSecret] = [secret(account.clientId), secret(account.clientSecret)];
  if (clientId === undefined || clientSecret === undefined) return undefined;
  return { clientId, clientSecret, robotCode: secret(account.robotCode) ?? clientId };
}

/** What an account without credentials is told. */
export function credentialsMissing({ account, secret }: DingtalkContext): string {
  const missing = [account.clientId, account.clientSecret].filter((ref) => secret(ref) === undefined);
  return `Set ${missing.map(({ id }) => id).join(" and ")}: the app's page at the developer console shows them.`;
}
