import { head } from "../../lib/text.ts";
import type { ChannelFinding, ConnectOptions, MenuCommand } from "../channel.ts";
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
import { ASK } from "./interaction.ts";

/**
 * Registers the agent's commands in place of those that the application has, and tells Discord the address, which it
 * calls at once to test it. An address of another server stays, and nothing is registered then.
 */
export async function connectAccount(
  context: DiscordContext,
  { webhookUrl, takeOver, commands = [] }: ConnectOptions,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const { account } = context;
  if (botToken(context) === undefined) {
    return [{ status: "fail", message: `${account.botToken.id} is not set.`, fix: newToken(account) }];
  }
  const me = await callDiscord(context, { path: "/applications/@me", method: "GET" }, signal);
  if (me.kind !== "ok") return [failedCall(me, context)];
  const app = application.safeParse(me.json).data;
  if (app === undefined) {
    return [{ status: "warn", message: "Discord's answer has no application.", fix: "Try again in a moment." }];
  }
  const wrongKey = keyFindings(context, app);
  if (wrongKey.length > 0) return wrongKey;
  const { interactions_endpoint_url: address } = app;
  if (address && address !== webhookUrl && !takeOver) {
    const message = `commands and buttons are sent to another server, ${printable(address)}, and stay there.`;
    return [{ status: "warn", message, fix: "Connect again and take it over, if this Isopod is to have them." }];
  }
  return [
    await registerCommands(app, commands, context, signal),
    await setAddress(app, webhookUrl, context, signal),
    { status: "ok", message: `the bot is invited to a server at ${inviteUrl(app)}` },
  ];
}

const TEXT = 1;
const ON_MESSAGE = 3;
const STRING_OPTION = 3;
const ATTACHMENT_OPTION = 11;
/** Discord's limits. */
const MAX_COMMANDS = 98;
const MAX_DESCRIPTION_CHARS = 100;

/** What a person may do with one of the channel's messages. */
const EXPLAIN = { type: ON_MESSAGE, name: "Explain this message" };
const ASK_COMMAND = {
  type: TEXT,
  name: ASK,
  description: "Ask the agent",
  options: [
    { type: STRING_OPTION, name: "text", description: "What you want to say", required: true },
    { type: ATTACHMENT_OPTION, name: "file", description: "A file to go with it" },
  ],
};

/** With the code of an owner link. */
const START = { name: "start", summary: "Become an owner, with a code" };

function asCommand({ name, summary }: MenuCommand): object {
  const options = [{ type: STRING_OPTION, name: "text", description: "What comes after the command" }];
  return { type: TEXT, name, description: head(summary, MAX_DESCRIPTION_CHARS) || name, options };
}

async function registerCommands(
  { id }: DiscordApplication,
  commands: readonly MenuCommand[],
  context: DiscordContext,
  signal: AbortSignal,
): Promise<ChannelFinding> {
  const usable = commands.filter(({ name }) => /^[a-z0-9_]{1,32}$/.test(name) && name !== ASK);
  const own = [...usable, START].slice(0, MAX_COMMANDS);
  const body = [ASK_COMMAND, ...own.map(asCommand), EXPLAIN];
  const answer = await callDiscord(context, { path: `/applications/${id}/commands`, method: "PUT", body }, signal);
  if (answer.kind !== "ok") return failedCall(answer, context);
  return { status: "ok", message: `${own.length + 1} commands are registered, /${ASK} among them.` };
}

async function setAddress(
  { interactions_endpoint_url: address }: DiscordApplication,
  webhookUrl: string,
  context: DiscordContext,
  signal: AbortSignal,
): Promise<ChannelFinding> {
  const isSet: ChannelFinding = { status: "ok", message: `Discord sends commands and buttons to ${webhookUrl}` };
  if (address === webhookUrl) return isSet;
  if (!address && context.account.gateway && !webhookUrl.startsWith("https:")) {
    return { status: "ok", message: "commands and buttons come over the gateway, which needs no address." };
  }
  const body = { interactions_endpoint_url: webhookUrl };
  const answer = await callDiscord(context, { path: "/applications/@me", method: "PATCH", body }, signal);
  if (answer.kind === "ok") return isSet;
  if (answer.kind !== "refused" || answer.status !== 400) return failedCall(answer, context);
  const message = `Discord could not test the address: ${printable(answer.description)}`;
  const fix = `It must be reachable over https from outside. Then connect again, or set it at ${PORTAL}, page General Information, as Interactions Endpoint URL: ${webhookUrl}`;
  return { status: "fail", message, fix };
}

/** View channels, send messages (also in threads), read the history, attach files, add reactions. */
const PERMISSIONS = (1n << 10n) | (1n << 11n) | (1n << 38n) | (1n << 16n) | (1n << 15n) | (1n << 6n);

function inviteUrl({ id }: DiscordApplication): string {
  return `https://discord.com/oauth2/authorize?client_id=${id}&scope=bot+applications.commands&permissions=${PERMISSIONS}`;
}
