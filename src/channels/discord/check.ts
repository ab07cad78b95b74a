import { z } from "zod";
import type { ChannelFinding } from "../channel.ts";
import type { PlatformAnswer } from "../platform-call.ts";
import { botToken, type DiscordContext } from "./account.ts";
import { callDiscord } from "./api.ts";
import {
  application,
  type DiscordApplication,
  failedCall,
  keyFindings,
  newToken,
  PORTAL,
  printable,
} from "./application.ts";

const bot = z.object({ username: z.string() });

/** Checks the bot's token, the public key, the address that Discord calls, and what the Gateway needs. */
export async function checkAccount(
  context: DiscordContext,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const { account } = context;
  if (botToken(context) === undefined) {
    const message = `it has no token: ${account.botToken.id} is not set.`;
    return [{ status: "fail", message, fix: newToken(account) }, ...keyFindings(context)];
  }
  const [me, app] = await Promise.all([
    callDiscord(context, { path: "/users/@me", method: "GET" }, signal),
    callDiscord(context, { path: "/applications/@me", method: "GET" }, signal),
  ]);
  if (me.kind !== "ok") return [failedCall(me, context), ...keyFindings(context)];
  return [aboutBot(me.json), ...aboutApplication(app, context, webhookUrl)];
}

function aboutBot(json: unknown): ChannelFinding {
  const name = bot.safeParse(json).data?.username;
  if (name !== undefined) return { status: "ok", message: `the bot is ${printable(name)}.` };
  return { status: "warn", message: "Discord's answer does not name the bot.", fix: "Try again in a moment." };
}

function aboutApplication(answer: PlatformAnswer, context: DiscordContext, webhookUrl: string): ChannelFinding[] {
  if (answer.kind !== "ok") return [failedCall(answer, context)];
  const app = application.safeParse(answer.json).data;
  if (app === undefined) {
    return [{ status: "warn", message: "Discord's answer has no application.", fix: "Try again in a moment." }];
  }
  return [...keyFindings(context, app), aboutAddress(app, context, webhookUrl), ...aboutContent(app, context)];
}

function aboutAddress(
  { interactions_endpoint_url: address }: DiscordApplication,
  { account }: DiscordContext,
  expected: string,
): ChannelFinding {
  if (address === expected) return { status: "ok", message: "Discord sends commands and buttons here." };
  if (!address && account.gateway) return { status: "ok", message: "commands and buttons come over the gateway." };
  const fix = `At ${PORTAL}, page General Information, set Interactions Endpoint URL to ${expected}`;
  if (!address) return { status: "fail", message: "commands and buttons are sent nowhere.", fix };
  return { status: "warn", message: `commands and buttons are sent to ${printable(address)}`, fix };
}

/** The flags of applications that may read the contents of messages, in small numbers or after a review. */
const READS_CONTENT = (1 << 18) | (1 << 19);

function aboutContent({ flags }: DiscordApplication, { account }: DiscordContext): ChannelFinding[] {
  if (!account.gateway || (flags & READS_CONTENT) !== 0) return [];
  const message = "the gateway is on, but the bot may not read messages: Discord closes the connection.";
  return [{ status: "fail", message, fix: `At ${PORTAL}, page Bot, switch Message Content Intent on.` }];
}
