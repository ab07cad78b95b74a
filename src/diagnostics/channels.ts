import { listChannels } from "../channels/index.ts";
import { within } from "../lib/deadline.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** How long an account's platform may take to answer. */
const ANSWER_MS = 8000;
/** Most accounts that are looked at: each may cost several requests. */
const MAX_ACCOUNTS = 20;

/** Whether each account of each channel can work, as the channel itself finds by asking its platform. */
export async function examineChannels(patient: DiagnosticsContext): Promise<Check[]> {
  const { services } = patient;
  if (services === undefined) return [];
  const accounts = listChannels(services.plugins.channels).flatMap(({ id }) =>
    Object.keys(services.config.channels[id]?.accounts ?? {}).map((accountId) => ({ channelId: id, accountId })),
  );
  const looked = accounts
    .slice(0, MAX_ACCOUNTS)
    .map(({ channelId, accountId }) => examineAccount(patient, channelId, accountId));
  return [...(await Promise.all(looked)).flat(), ...tooMany(accounts.length)];
}

async function examineAccount(patient: DiagnosticsContext, channelId: string, accountId: string): Promise<Check[]> {
  const { services, origin } = patient;
  if (services === undefined) return [];
  const { channel, context } = services.channel(channelId, accountId);
  const head = { id: `channels.${channelId}.${accountId}`, area: "channels" } as const;
  const path = `channels.${channelId}.accounts.${accountId}`;
  if (!isNamed(patient, channelId) && !channel.isReady(context)) {
    return [{ ...head, status: "ok", message: `${channelId} is not set up.` }];
  }
  const place = `/channels/${encodeURIComponent(channelId)}/${encodeURIComponent(accountId)}/webhook`;
  const webhookUrl = new URL(place, origin).href;
  const scanned = await within(ANSWER_MS, async (signal) => channel.check?.(context, webhookUrl, signal));
  if (scanned === undefined)
    return [{ ...head, status: "ok", message: `${channelId}/${accountId} is configured.`, path }];
  return scanned.map((finding, at): Check => {
    const message = `${channelId}/${accountId}: ${finding.message}`;
    return { ...finding, ...head, id: at === 0 ? head.id : `${head.id}.${at}`, message, path };
  });
}

/** Whether the configuration says anything of a channel; otherwise one that has no secrets is simply not used. */
function isNamed({ configuration }: DiagnosticsContext, channelId: string): boolean {
  const { channels } = configuration.document;
  return typeof channels === "object" && channels !== null && channelId in channels;
}

function tooMany(count: number): Check[] {
  if (count <= MAX_ACCOUNTS) return [];
  const message = `There are ${count} accounts; ${MAX_ACCOUNTS} were looked at.`;
  return [{ id: "channels.more", area: "channels", status: "ok", message }];
}
