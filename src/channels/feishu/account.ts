import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import { chatFields, secretField } from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

/** The configuration of an app of Feishu or Lark. */
export const feishuAccount = z.strictObject({
  appId: secretField("FEISHU_APP_ID", "The app's id, `cli_…`"),
  appSecret: secretField("FEISHU_APP_SECRET", "The app's secret"),
  encryptKey: secretField(
    "FEISHU_ENCRYPT_KEY",
    "The Encrypt Key of events, with which they are encrypted and signed; nothing enters without it or the Verification Token",
  ),
  verificationToken: secretField(
    "FEISHU_VERIFICATION_TOKEN",
    "The Verification Token of events, which proves them where there is no Encrypt Key",
  ),
  domain: z
    .union([z.enum(["feishu", "lark"]), address])
    .default("feishu")
    .describe("Where the app lives: `feishu` (China), `lark` (elsewhere), or the address of a server of your own."),
  botOpenId: z
    .string()
    .regex(/^ou_\w{1,64}$/, "use the bot's open id, `ou_…`")
    .optional()
    .describe("The bot's open id; asked of Feishu when it is needed and not given."),
  ...chatFields,
});

/** An app's parsed configuration. */
export type FeishuAccount = z.output<typeof feishuAccount>;

/** The channel context of one app. */
export type FeishuContext = ChannelContext<FeishuAccount>;

/** What an app proves itself with. */
export interface FeishuCredentials {
  appId: string;
  appSecret: string;
}

/** The credentials of an account; undefined if one is not set. */
export function feishuCredentials({ account, secret }: FeishuContext): FeishuCredentials | undefined {
  const [appId, appSecret] = [secret(account.appId), secret(account.appSecret)];
  return appId === undefined || appSecret === undefined ? undefined : { appId, appSecret };
}

/** What an account without credentials is told. */
export function credentialsMissing({ account, secret }: FeishuContext): string {
  const missing = [account.appId, account.appSecret].filter((ref) => secret(ref) === undefined);
  return `Set ${missing.map(({ id }) => id).join(" and ")}: the app's page at the developer console shows them.`;
}
