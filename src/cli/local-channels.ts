import { requestJson, type Server } from "../client/http.ts";
import { isChannelAccounts, isOwnerLink } from "../client/wire.ts";
import { type PolledBot, pollTelegram } from "./telegram-polling.ts";
import { readVariables } from "./variables.ts";

const API = "https://api.telegram.org";

/**
 * Lets the Telegram bots of a local Isopod work: it asks Telegram for their messages, and prints a link for the first
 * owner.
 * @returns a function that stops it
 */
export async function startLocalChannels(
  server: Required<Server>,
  { variablesFile, takeOver, note }: { variablesFile: string; takeOver: boolean; note: (text: string) => void },
): Promise<() => void> {
  const stop = new AbortController();
  const variables = { ...process.env, ...(await readVariables(variablesFile)) };
  const { accounts } = await requestJson(server, { path: "/v1/channels" }, isChannelAccounts);
  for (const { account, channel, ready, variables: names, apiBase = API, hasOwner } of accounts) {
    if (channel !== "telegram" || !ready) continue;
    const [token, webhookSecret] = [variables[names.botToken ?? ""], variables[names.webhookSecret ?? ""]];
    if (!token || !webhookSecret) continue;
    const webhookUrl = `${server.url}/channels/telegram/${encodeURIComponent(account)}/webhook`;
    const bot: PolledBot = { name: `Telegram (${account})`, apiBase, token, webhookUrl, webhookSecret };
    void pollTelegram(bot, { takeOver, note, signal: stop.signal });
    if (!hasOwner) void ownerLink(server, account).then(note);
  }
  return () => stop.abort();
}

/** What the first owner has to do. Never rejects. */
async function ownerLink(server: Server, account: string): Promise<string> {
  const path = `/v1/channels/telegram/${encodeURIComponent(account)}/owner-link`;
  const made = await requestJson(server, { method: "POST", path, body: {} }, isOwnerLink).catch(() => undefined);
  if (made === undefined) return "";
  const how = made.link === undefined ? `Send it ${made.message}` : `Open ${made.link}`;
  return `${how} within an hour to become the owner of the bot.\n`;
}
