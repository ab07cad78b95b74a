import { z } from "zod";
import { address } from "../../config/secret-ref.ts";
import {
  deliveryFields,
  directFields,
  groupFields,
  secretField,
  settingField,
  settingName,
  settingValue,
} from "../account-fields.ts";
import type { ChannelContext } from "../channel.ts";

const id = z.string().regex(/^[\w.-]+$/, "use the id as Microsoft Entra shows it");

/** The configuration of a bot in Microsoft Teams. */
export const msteamsAccount = z.strictObject({
  appId: settingField("MSTEAMS_APP_ID", id, "The bot's application (client) id in Microsoft Entra"),
  appPassword: secretField("MSTEAMS_APP_PASSWORD", "A client secret of the application"),
  tenantId: settingField("MSTEAMS_TENANT_ID", id, "The tenant of a bot for one tenant"),
  serviceUrl: address
    .default("https://smba.trafficmanager.net/teams/")
    .describe(
      "Where messages are sent to conversations that have not been written from. Besides Microsoft's own, its host is the only one that gets the bot's token.",
    ),
  loginUrl: address.default("https://login.microsoftonline.com").describe("Where the bot gets its tokens."),
  openIdUrl: address
    .default("https://login.botframework.com/v1/.well-known/openidconfiguration")
    .describe("The OpenID document of those who sign the webhook's calls."),
  ...directFields,
  ...groupFields,
  ...deliveryFields,
});

/** The parsed configuration of a bot. */
export type MsteamsAccount = z.output<typeof msteamsAccount>;

/** The channel context of one bot. */
export type MsteamsContext = ChannelContext<MsteamsAccount>;

/** With what a bot logs in. */
export interface BotLogin {
  appId: string;
  appPassword: string;
  tenantId: string | undefined;
}

/** The login of an account; undefined while a secret that it needs is not set. */
export function botLogin({ account, secret }: Pick<MsteamsContext, "account" | "secret">): BotLogin | undefined {
  const [appId, appPassword] = [settingValue(account.appId, { secret }), secret(account.appPassword)];
  if (!appId || !appPassword) return undefined;
  return { appId, appPassword, tenantId: settingValue(account.tenantId, { secret }) };
}

/** What an account without a login is told. */
export function loginMissing({ appId, appPassword }: MsteamsAccount): string {
  return `Set ${settingName(appId, "appId")} and ${appPassword.id} to the bot's application id and client secret.`;
}

/** Microsoft's connectors. Names below trafficmanager.net are anybody's, so that one is named in full. */
const CONNECTORS =
  /^(?:smba\.trafficmanager\.net|smba\.infra\.gcc\.teams\.microsoft\.com|(?:[\w-]+\.)*botframework\.com)$/;

/** Whether an address is Microsoft's, or has the host that the account names: only those get the bot's token. */
export function isConnector(url: string, { serviceUrl }: Pick<MsteamsAccount, "serviceUrl">): boolean {
  if (!URL.canParse(url)) return false;
  const { origin, protocol, host } = new URL(url);
  return origin === new URL(serviceUrl).origin || (protocol === "https:" && CONNECTORS.test(host));
}
