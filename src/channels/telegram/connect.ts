import type { ChannelFinding, ConnectOptions } from "../channel.ts";
import type { TelegramContext } from "./account.ts";
import { botToken, callBot } from "./bot-api.ts";
import { missingSecrets, NEEDED, tokenFinding, webhookInfo } from "./check.ts";
import { identify } from "./mention.ts";

/** Points a bot's webhook to this Worker. An address of another server is replaced only where `takeOver` says so. */
export async function connectBot(
  context: TelegramContext,
  { webhookUrl, takeOver }: ConnectOptions,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const { account, secret } = context;
  const token = botToken(context);
  const webhookSecret = secret(account.webhookSecret);
  if (token === undefined || webhookSecret === undefined) return missingSecrets(context);
  if (!webhookUrl.startsWith("https:")) {
    const message = `Telegram calls https addresses only, not ${webhookUrl}.`;
    const fix =
      "Deploy, or use an https tunnel. On this machine, npm start asks Telegram itself: nothing is to be set.";
    return [{ status: "fail", message, fix }];
  }
  const info = await callBot(context, token, "getWebhookInfo", {}, signal);
  if (info.kind !== "ok") return [tokenFinding(info, context)];
  const { url = "" } = webhookInfo.safeParse(info.result).data ?? {};
  if (url !== "" && url !== webhookUrl && !takeOver) {
    const message = `Telegram calls another address: ${url}.`;
    return [{ status: "fail", message, fix: "If that server is to get no more messages, connect with takeOver." }];
  }
  const wanted = { url: webhookUrl, secret_token: webhookSecret, allowed_updates: NEEDED };
  const set = await callBot(context, token, "setWebhook", wanted, signal);
  if (set.kind !== "ok") return [tokenFinding(set, context)];
  const bot = await identify(context, token);
  const found: ChannelFinding[] = [{ status: "ok", message: `Telegram calls ${webhookUrl}.` }];
  if (bot !== undefined) found.push({ status: "ok", message: `people write to https://t.me/${bot.username}.` });
  return found;
}
