import type { ChannelContext } from "../../../src/channels/channel.ts";
import type { DiscordAccount } from "../../../src/channels/discord/account.ts";
import { discordAccount } from "../../../src/channels/discord/account.ts";
import { platformPlace } from "../platform-lab.ts";

/** RFC 8032's first key, whose public half the fake application has. */
export const PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const PKCS8 = `302e020100300506032b6570042204209d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60`;

/** An instant at which tests run. */
export const NOW = 1_790_000_000_000;

let lastId = 0;

/** An application with a place of its own on the fake Discord. */
export function makeApp(account: Partial<DiscordAccount> = {}) {
  const place = platformPlace("discord");
  const botToken = `MTAwMA.${crypto.randomUUID().slice(0, 6)}.secret-half-of-the-token`;
  const secrets: Record<string, string> = { DISCORD_BOT_TOKEN: botToken, DISCORD_PUBLIC_KEY: PUBLIC_KEY };
  const context: ChannelContext<DiscordAccount> = {
    accountId: "default",
    account: { ...discordAccount.parse({ apiBase: place.url }), ...account },
    secret: ({ id }) => secrets[id],
    fetch: (...args) => fetch(...args),
    now: () => NOW,
  };
  return { place, context, botToken, secrets };
}

const person = { id: "42", username: "ada", global_name: "Ada Lovelace" };

/** An interaction in a direct conversation with the bot, where its fields do not say otherwise. */
export function interaction(
  more: Record<string, unknown> = {},
): Record<string, unknown> & { id: string; token: string } {
  const n = ++lastId;
  return {
    id: String(1_450_000_000_000_000_000n + BigInt(n)),
    application_id: "1000",
    token: `aW50ZXJhY3Rpb24.${n}.${crypto.randomUUID()}`,
    version: 1,
    type: 2,
    context: 1,
    channel_id: "8842",
    channel: { id: "8842", type: 1 },
    user: person,
    data: { id: "1", name: "ask", type: 1, options: [{ name: "text", type: 3, value: "hello" }] },
    ...more,
  };
}

/** The same in a channel of a server. */
export function inServer(more: Record<string, unknown> = {}) {
  const { user: _, ...rest } = interaction({
    context: 0,
    guild_id: "500",
    channel_id: "501",
    channel: { id: "501", type: 0, name: "general" },
  });
  return { ...rest, member: { user: person, nick: null }, ...more } as ReturnType<typeof interaction>;
}

/** A signed request, as Discord makes it. */
export async function signed(
  body: string | Uint8Array<ArrayBuffer>,
  url = "https://isopod.test/channels/discord/default/webhook",
): Promise<Request> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const timestamp = "1790000000";
  const message = new Uint8Array([...new TextEncoder().encode(timestamp), ...bytes]);
  const key = await crypto.subtle.importKey("pkcs8", fromHex(PKCS8), { name: "Ed25519" }, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign({ name: "Ed25519" }, key, message));
  return new Request(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Signature-Timestamp": timestamp,
      "X-Signature-Ed25519": toHex(signature),
    },
    body: bytes,
  });
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
