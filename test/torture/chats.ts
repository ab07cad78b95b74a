import { createHmac } from "node:crypto";
import { LINE_TOKEN } from "../fakes/platforms/line.ts";
import { WHATSAPP_TOKEN } from "../fakes/platforms/whatsapp.ts";
import type { Sent } from "./client.ts";
import type { Delivered } from "./evidence.ts";

const TELEGRAM_SECRET = "torture-webhook-secret";
const BOT_TOKEN = "7000000001:torture";
const WHATSAPP_SECRET = "torture-app-secret";
const NUMBER_ID = "100000000000001";
const LINE_SECRET = "torture-channel-secret";

/** A direct chat with a person on a platform. */
export interface Chat {
  platform: PlatformName;
  /** The person's id there. */
  id: string;
}

export type PlatformName = "telegram" | "whatsapp" | "line";

/** What a platform's server was called with, as the fakes record it. */
interface RecordedCall {
  path: string;
  headers: Record<string, string>;
  fields: Record<string, any>;
}

/** How a platform of the torture hands over what people say, and how it records what it was told to send. */
interface ChatPlatform {
  /** The id of the n-th person. */
  personId(n: number): string;
  /** A message as the platform hands it over. Its number is the number of what it brings, and of what answers quote. */
  request(id: string, text: string, number: number): { path: string; sent: Sent };
  /** Whether a request to the platform sends a message, and to whom; undefined for any other. */
  receiver(path: string, body: string): string | undefined;
  /** What arrived of all that was sent, in its order. */
  delivered(server: string): Promise<Delivered[]>;
}

const AS_JSON = { "Content-Type": "application/json" };

const telegram: ChatPlatform = {
  personId: (n) => String(5000 + n),
  request(id, text, number) {
    const person = { id: Number(id), is_bot: false, first_name: `User ${id}` };
    const chat = { id: Number(id), type: "private" };
    const message = { message_id: number, date: 1_790_000_000, chat, from: person, text };
    return {
      path: "/channels/telegram/default/webhook",
      sent: {
        method: "POST",
        body: { update_id: number, message },
        headers: { "X-Telegram-Bot-Api-Secret-Token": TELEGRAM_SECRET },
      },
    };
  },
  receiver: (path, body) => (path.endsWith("/sendMessage") ? String(JSON.parse(body).chat_id) : undefined),
  async delivered(server) {
    const calls: {
      method: string;
      args: { chat_id: number; text: string; reply_parameters?: { message_id: number } };
    }[] = await (await fetch(`${server}/control/${BOT_TOKEN}/calls`)).json();
    return calls
      .filter(({ method }) => method === "sendMessage")
      .map(({ args }) => ({
        chat: String(args.chat_id),
        replyTo: args.reply_parameters?.message_id ?? 0,
        text: args.text,
      }));
  },
};

const whatsapp: ChatPlatform = {
  personId: (n) => `1555000${String(n).padStart(4, "0")}`,
  request(id, text, number) {
    const value = {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: "15550001111", phone_number_id: NUMBER_ID },
      contacts: [{ profile: { name: `User ${id}` }, wa_id: id }],
      messages: [{ from: id, id: `wamid.${number}`, timestamp: "1790000000", type: "text", text: { body: text } }],
    };
    const changes = [{ field: "messages", value }];
    const body = JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1", changes }] });
    const signature = createHmac("sha256", WHATSAPP_SECRET).update(body).digest("hex");
    const headers = { ...AS_JSON, "X-Hub-Signature-256": `sha256=${signature}` };
    return { path: "/channels/whatsapp/default/webhook", sent: { method: "POST", body, headers } };
  },
  receiver(path, body) {
    if (!path.endsWith("/messages")) return undefined;
    const { to, status } = JSON.parse(body);
    return status === undefined ? String(to) : undefined;
  },
  async delivered(server) {
    const calls = await callsTo(server, "whatsapp");
    return calls.flatMap(({ path, fields: { to, status, context, text, interactive } }) => {
      const says = text?.body ?? interactive?.body?.text;
      if (!path.endsWith("messages") || status !== undefined || says === undefined) return [];
      return [{ chat: to, replyTo: Number(context?.message_id?.slice("wamid.".length) ?? 0), text: says }];
    });
  },
};

const line: ChatPlatform = {
  personId: (n) => `U${String(n).padStart(32, "0")}`,
  request(id, text, number) {
    const event = {
      ...{ type: "message", mode: "active", timestamp: 1_790_000_000_000, source: { type: "user", userId: id } },
      ...{ webhookEventId: `01EVENT${number}`, deliveryContext: { isRedelivery: false } },
      replyToken: `answer.${id}.${number}`,
      message: { id: String(number), type: "text", text, quoteToken: `quote.${number}` },
    };
    const body = JSON.stringify({ destination: `U${"f".repeat(32)}`, events: [event] });
    const signature = createHmac("sha256", LINE_SECRET).update(body).digest("base64");
    const headers = { ...AS_JSON, "X-Line-Signature": signature };
    return { path: "/channels/line/default/webhook", sent: { method: "POST", body, headers } };
  },
  receiver(path, body) {
    if (!/\/message\/(reply|push)$/.test(path)) return undefined;
    const { to, replyToken } = JSON.parse(body);
    return to ?? receiverOf(replyToken);
  },
  async delivered(server) {
    // A reply token, and a retry key, is good for one message: what comes with it again is refused.
    const used = new Set<string>();
    const calls = (await callsTo(server, "line")).filter(({ path }) => /message\/(reply|push)$/.test(path));
    return calls.flatMap(({ headers, fields: { to, replyToken, messages } }) => {
      const once = replyToken ?? headers["x-line-retry-key"];
      if (used.has(once)) return [];
      used.add(once);
      const [{ text, quoteToken = "" }] = messages;
      return [{ chat: to ?? receiverOf(replyToken), replyTo: Number(quoteToken.split(".")[1] ?? 0), text }];
    });
  },
};

function receiverOf(replyToken: string): string {
  return replyToken.split(".")[1] ?? "";
}

async function callsTo(server: string, platform: string): Promise<RecordedCall[]> {
  return (await fetch(`${server}/control/${platform}/torture`)).json();
}

const PLATFORMS: Readonly<Record<PlatformName, ChatPlatform>> = { telegram, whatsapp, line };

/** The n-th chat: platforms take turns. */
export function drawChat(n: number): Chat {
  const platform = (Object.keys(PLATFORMS) as PlatformName[])[n % 3] ?? "telegram";
  return { platform, id: PLATFORMS[platform].personId(n) };
}

/** A message that a person writes in a chat, as its platform hands it over. */
export function requestOfChat({ platform, id }: Chat, text: string, number: number): { path: string; sent: Sent } {
  return PLATFORMS[platform].request(id, text, number);
}

/** To whom a request to a platform sends a message; undefined for a request that sends none. */
export function receiverIn(path: string, body: string): string | undefined {
  for (const { receiver } of Object.values(PLATFORMS)) {
    const found = receiver(path, body);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What arrived on all platforms. */
export async function deliveredOn({ botApi, platforms }: Servers): Promise<Delivered[]> {
  const all = [telegram.delivered(botApi), whatsapp.delivered(platforms), line.delivered(platforms)];
  return (await Promise.all(all)).flat();
}

/** The addresses of Telegram's server, and of the other platforms'. */
export interface Servers {
  botApi: string;
  platforms: string;
}

/** The configuration of the channels, whose platforms are at these servers. */
export function channelsAt({ botApi, platforms }: Servers): object {
  const quoting = { replyToMode: "all" };
  return {
    telegram: { ...quoting, apiBase: botApi, username: "torture_bot", commandMenu: false },
    whatsapp: { ...quoting, apiBase: `${platforms}/whatsapp/torture`, phoneNumberId: NUMBER_ID },
    line: { ...quoting, apiBase: `${platforms}/line/torture`, dataApiBase: `${platforms}/line/torture` },
  };
}

/** The channels' secrets. */
export const CHANNEL_SECRETS = {
  TELEGRAM_BOT_TOKEN: BOT_TOKEN,
  TELEGRAM_WEBHOOK_SECRET: TELEGRAM_SECRET,
  WHATSAPP_ACCESS_TOKEN: WHATSAPP_TOKEN,
  WHATSAPP_APP_SECRET: WHATSAPP_SECRET,
  WHATSAPP_VERIFY_TOKEN: "torture-verify-token",
  LINE_CHANNEL_SECRET: LINE_SECRET,
  LINE_CHANNEL_ACCESS_TOKEN: LINE_TOKEN,
  ISOPOD_DATA_KEY: Buffer.alloc(32, "torture").toString("base64"),
};
