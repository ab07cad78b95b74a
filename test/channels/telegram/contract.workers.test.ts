import { telegram } from "../../../src/channels/telegram/telegram.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedAnswer } from "../../fakes/bot-api.ts";
import { parseTelegramHtml } from "../../fakes/telegram-html.ts";
import { makeBot } from "./test-bot.ts";

const ANSWERS: Record<PlatformBehaviour, ScriptedAnswer> = {
  busy: { retryAfter: 7 },
  refusing: {
    status: 403,
    body: { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" },
  },
  silent: { hang: true },
  "cut after taking": { cut: "after" },
};

channelContract("telegram", () => {
  const bot = makeBot();
  const hello = {
    update_id: 100_001,
    message: {
      message_id: 1,
      from: { id: 77, is_bot: false, first_name: "Ada" },
      chat: { id: 77, type: "private", first_name: "Ada" },
      date: 1_700_000_000,
      text: "hello",
    },
  };
  const headers = { "X-Telegram-Bot-Api-Secret-Token": bot.webhookSecret };
  return {
    channel: telegram,
    context: bot.context,
    minimalAccount: {
      botToken: { source: "env", id: "BOT_TOKEN" },
      webhookSecret: { source: "env", id: "HOOK_SECRET" },
    },
    target: bot.target,
    secrets: [bot.token, bot.token.split(":")[1]!, bot.webhookSecret],
    maxPart: 4096,
    genuine: () => bot.update(hello),
    genuineWith: (body) => new Request(bot.update(hello).url, { method: "POST", headers, body }),
    forged: () => bot.update(hello, { "X-Telegram-Bot-Api-Secret-Token": `${bot.webhookSecret}x` }),
    withoutSecrets: () => ({ ...bot.context, secret: () => undefined }),
    shown(part) {
      const parsed = parseTelegramHtml(part);
      if (!parsed.ok) throw new Error(parsed.problem);
      return parsed.text;
    },
    behave: (behaviour) => bot.script(ANSWERS[behaviour]),
    taken: async () => (await bot.calls("sendMessage")).map((call) => String(call.args.text)),
  };
});
