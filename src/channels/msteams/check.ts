import { settingName } from "../account-fields.ts";
import type { ChannelFinding } from "../channel.ts";
import { botLogin, loginMissing, type MsteamsContext } from "./account.ts";
import { botToken } from "./connector.ts";

/** Checks whether the bot can log in. Microsoft tells no one where it calls. */
export async function checkAccount(
  context: MsteamsContext,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const { account } = context;
  const { appId, appPassword, tenantId } = account;
  const login = botLogin(context);
  if (login === undefined) {
    const fix = `Copy them from the app registration in Microsoft Entra: wrangler secret put ${settingName(appId, "appId")}; wrangler secret put ${appPassword.id}.`;
    return [{ status: "fail", message: loginMissing(account), fix }];
  }
  const endpoint: ChannelFinding = webhookUrl.startsWith("https:")
    ? { status: "ok", message: `the messaging endpoint of the Azure bot has to be ${webhookUrl}.` }
    : {
        status: "warn",
        message: `Teams cannot call ${webhookUrl}.`,
        fix: "Deploy, or use an https tunnel, and set its address as the messaging endpoint of the Azure bot.",
      };
  const token = await botToken(context, login, signal);
  if (typeof token === "string") return [{ status: "ok", message: "the bot can log in." }, endpoint];
  const isWrong = token.kind === "refused" && token.status < 500 && token.status !== 429;
  const said = token.kind === "refused" ? token.description : token.reason;
  if (!isWrong) {
    return [{ status: "warn", message: `Microsoft's login does not answer: ${said}.`, fix: "Try again in a moment." }];
  }
  const fix = `Compare ${settingName(appId, "appId")} and ${settingName(tenantId, "tenantId")} with the app registration, and make a new client secret for ${appPassword.id}: they run out.`;
  return [{ status: "fail", message: `Microsoft does not accept the bot's login: ${said}`, fix }, endpoint];
}
