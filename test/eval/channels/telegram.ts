import { telegram } from "../../../src/channels/telegram/telegram.ts";
import type { ChannelUnderEval, EvalAccount } from "./channel-under-eval.ts";

const SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token";

function account(webhookSecret: string, botId = "1", username = "isopod_bot"): EvalAccount {
  return {
    account: { username },
    secrets: { TELEGRAM_WEBHOOK_SECRET: webhookSecret, TELEGRAM_BOT_TOKEN: `${botId}:x` },
  };
}

export const telegramUnderEval: ChannelUnderEval = {
  channel: telegram,
  schemes: ["telegram"],
  platform: "telegram",
  forVector: ({ secret = "" }) => account(secret),
  forPayload: ({ account: bot }) => account("secret", String(bot.botId), String(bot.botUsername)),
  send: ({ raw }, url) =>
    new Request(url, { method: "POST", headers: { [SECRET_HEADER]: "secret" }, body: JSON.stringify(raw) }),
  forSending: () => account("secret"),
};
