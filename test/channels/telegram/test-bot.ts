import { inject } from "vitest";
import type { ChannelContext, Target } from "../../../src/channels/channel.ts";
import { type TelegramAccount, telegramAccount } from "../../../src/channels/telegram/account.ts";
import type { BotCall, ScriptedAnswer } from "../../fakes/bot-api.ts";

let lastBotId = 4_000;

/** One bot on the Bot API server, with a token that no other test has. */
export interface TestBot {
  id: number;
  username: string;
  token: string;
  webhookSecret: string;
  context: ChannelContext<TelegramAccount>;
  /** A direct conversation with it. */
  target: Target;
  calls(method?: string): Promise<BotCall[]>;
  script(...answers: ScriptedAnswer[]): Promise<void>;
  /** A call of its webhook, as Telegram makes it. */
  update(update: unknown, headers?: Record<string, string>): Request;
}

export function makeBot(
  account: Partial<TelegramAccount> = {},
  secrets: Record<string, string | undefined> = {},
): TestBot {
  const id = ++lastBotId;
  const token = `${id}:AAH-${crypto.randomUUID()}`;
  const webhookSecret = `hook_${id}`;
  const known: Record<string, string | undefined> = { BOT_TOKEN: token, HOOK_SECRET: webhookSecret, ...secrets };
  const control = `${inject("botApi")}/control/${token}`;
  return {
    id,
    username: `isopod_${id}_bot`,
    token,
    webhookSecret,
    context: {
      accountId: "default",
      account: telegramAccount.parse({
        botToken: { source: "env", id: "BOT_TOKEN" },
        webhookSecret: { source: "env", id: "HOOK_SECRET" },
        apiBase: inject("botApi"),
        ...account,
      }),
      secret: (ref) => known[ref.id],
      fetch,
      now: () => 1_800_000_000_000,
    },
    target: { channel: "telegram", accountId: "default", kind: "direct", conversationId: "77" },
    async calls(method) {
      const calls = await fetch(`${control}/calls`).then((response) => response.json<BotCall[]>());
      return calls.filter((call) => method === undefined || call.method === method);
    },
    async script(...answers) {
      await fetch(control, { method: "PUT", body: JSON.stringify({ answers }) }).then((response) => response.text());
    },
    update(update, headers = { "X-Telegram-Bot-Api-Secret-Token": webhookSecret }) {
      const body = typeof update === "string" ? update : JSON.stringify(update);
      return new Request("https://isopod.example/channels/telegram/default/webhook", { method: "POST", headers, body });
    },
  };
}
