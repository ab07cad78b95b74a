import { and, eq, isNotNull } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { ChannelFinding } from "../channels/channel.ts";
import { discord } from "../channels/discord/discord.ts";
import { findChannel, listChannels } from "../channels/index.ts";
import { readOwnId } from "../config/own-ids.ts";
import { pairings } from "../db/schema.ts";
import { within } from "../lib/deadline.ts";
import { isJsonObject } from "../lib/json.ts";
import { gatewayAccounts, gatewayStatus } from "../services/discord-gateways.ts";
import type { Services } from "../services/services.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** How long a platform may take to answer. */
const ANSWER_MS = 8000;
/** Most accounts that are checked: each may cost several requests. */
const MAX_ACCOUNTS = 20;

/** Checks each account of each channel with the check of the channel itself, which asks the platform. */
export async function examineChannels(context: DiagnosticsContext): Promise<Check[]> {
  const { services } = context;
  if (services === undefined) return [];
  const channels = listChannels(services.plugins.channels).map(({ id }) => ({
    id,
    accounts: Object.keys(services.config.channels[id]?.accounts ?? {}).filter((account) =>
      isUsed(context, services, id, account),
    ),
  }));
  const accounts = channels.flatMap(({ id, accounts: used }) => used.map((accountId) => [id, accountId] as const));
  const checks = accounts
    .slice(0, MAX_ACCOUNTS)
    .map(([channelId, accountId]) => examineAccount(context, services, { channelId, accountId }));
  const unused = channels.filter(({ accounts: used }) => used.length === 0).map(({ id }) => id);
  return [...(await Promise.all(checks)).flat(), ...tooMany(accounts.length), ...notSetUp(unused)];
}

/** Whether the configuration names the channel, or the account has its secrets. */
function isUsed(
  { configuration }: DiagnosticsContext,
  services: Services,
  channelId: string,
  accountId: string,
): boolean {
  const { channels } = configuration.document;
  const { channel, context } = services.channel(channelId, accountId);
  return (isJsonObject(channels) && channelId in channels) || channel.isReady(context);
}

async function examineAccount(
  { origin, bindings, now }: DiagnosticsContext,
  services: Services,
  { channelId, accountId }: { channelId: string; accountId: string },
): Promise<Check[]> {
  const { channel, context: account } = services.channel(channelId, accountId);
  const head = { id: `channels.${channelId}.${accountId}`, area: "channels" } as const;
  const path = `channels.${channelId}.accounts.${accountId}`;
  const webhookPath = `/channels/${encodeURIComponent(channelId)}/${encodeURIComponent(accountId)}/webhook`;
  const webhookUrl = new URL(webhookPath, origin).href;
  const findings = await within(ANSWER_MS, async (signal) => channel.check?.(account, webhookUrl, signal));
  if (findings === undefined)
    return [{ ...head, status: "ok", message: `${channelId}/${accountId} is configured.`, path }];
  return [...findings, ...(await examineGateway({ bindings, now }, services, { channelId, accountId }))].map(
    (finding, at): Check => {
      const message = `${channelId}/${accountId}: ${finding.message}`;
      return { ...finding, ...head, id: at === 0 ? head.id : `${head.id}.${at}`, message, path };
    },
  );
}

function notSetUp(channels: readonly string[]): Check[] {
  if (channels.length === 0) return [];
  return [{ id: "channels.unused", area: "channels", status: "ok", message: `Not set up: ${channels.join(", ")}.` }];
}

/** How the connection is over which an account's ordinary messages come, where it has one. */
async function examineGateway(
  { bindings, now }: Pick<DiagnosticsContext, "bindings" | "now">,
  services: Services,
  { channelId, accountId }: { channelId: string; accountId: string },
): Promise<ChannelFinding[]> {
  const isWanted = channelId === discord.id && gatewayAccounts(services.config).includes(accountId);
  if (!isWanted || bindings.DISCORD_GATEWAYS === undefined) return [];
  const status = await gatewayStatus(bindings, accountId);
  switch (status.state) {
    case "connected":
      return [{ status: "ok", message: "ordinary messages arrive: the gateway is connected." }];
    case "waiting": {
      const again = `It is tried again in ${Math.max(1, Math.round((status.until - now) / 60_000))} min.`;
      const message = `ordinary messages do not arrive: ${status.problem}.`;
      if (status.fix === undefined) return [{ status: "warn", message, fix: again }];
      return [{ status: "fail", message, fix: `${status.fix} Then connect the account again. ${again}` }];
    }
    default:
      return [
        { status: "warn", message: "the gateway is not connected yet.", fix: "Wait a minute: the clock starts it." },
      ];
  }
}

function tooMany(count: number): Check[] {
  if (count <= MAX_ACCOUNTS) return [];
  const message = `There are ${count} accounts; ${MAX_ACCOUNTS} were checked.`;
  return [{ id: "channels.more", area: "channels", status: "ok", message }];
}

/** Checks that a channel has an owner, and that configured owners are of existing channels. */
export async function examineOwners({ services, bindings }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const { ownerAllowFrom } = services.config.commands;
  const paired = await drizzle(bindings.DB).$count(
    pairings,
    and(isNotNull(pairings.approvedAt), eq(pairings.owner, true)),
  );
  const head = { id: "owners.known", area: "owners", path: "commands.ownerAllowFrom" } as const;
  const summary: Check =
    ownerAllowFrom.length + paired > 0
      ? { ...head, status: "ok", message: `Owners: ${ownerAllowFrom.length} configured, ${paired} paired.` }
      : {
          ...head,
          status: "warn",
          message: "No channel user is an owner: commands and approvals need the access token.",
          fix: 'Add yourself to commands.ownerAllowFrom, such as "telegram:123456789", or approve your pairing as an owner.',
        };
  const channels = listChannels(services.plugins.channels).map(({ id }) => id);
  const unknown = ownerAllowFrom.filter(
    (owner) => owner.includes(":") && !channels.includes(owner.split(":")[0] ?? ""),
  );
  return [
    summary,
    ...unknown.map(
      (owner): Check => ({
        id: `owners.${owner}`,
        area: "owners",
        status: "warn",
        message: `The owner '${owner}' is of a channel that does not exist.`,
        fix: `Write it as channel:id; the channels are: ${channels.join(", ")}.`,
        path: "commands.ownerAllowFrom",
      }),
    ),
    ...ownerAllowFrom.flatMap((owner) => ownerOfNoAccount(owner, services)),
  ];
}

/** An owner of a channel whose accounts have ids of their own, in an account that is not there. */
function ownerOfNoAccount(owner: string, { config, plugins }: Services): Check[] {
  const [, channelId = "", person = ""] = /^([^:]+):(.*)$/s.exec(owner) ?? [];
  const accounts = Object.keys(config.channels[channelId]?.accounts ?? {});
  const { accountId } = readOwnId(person);
  if (!findChannel(channelId, plugins.channels)?.hasOwnIds || accounts.length === 0 || accounts.includes(accountId)) {
    return [];
  }
  return [
    {
      id: `owners.${owner}`,
      area: "owners",
      status: "warn",
      message: `The owner '${owner}' is of the account '${accountId}' of ${channelId}, which is not configured: ids of ${channelId} are those of one account.`,
      fix: `Write it as ${channelId}:account/id; the accounts are: ${accounts.join(", ")}.`,
      path: "commands.ownerAllowFrom",
    },
  ];
}
