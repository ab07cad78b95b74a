import type { DiscordAccount } from "../channels/discord/account.ts";
import { discord } from "../channels/discord/discord.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { Config } from "./services.ts";

/** How a connection with Discord's Gateway is. */
export type GatewayStatus =
  | { state: "off" }
  /** `since` in milliseconds since the epoch, as `until`. */
  | { state: "connected"; since: number }
  | { state: "connecting" }
  /** It is tried again then; with a fix, a person has to do something first. */
  | { state: "waiting"; until: number; problem: string; fix?: string };

/** The object that keeps the connection of an account. */
interface Gateway {
  start(accountId: string, again?: boolean): Promise<GatewayStatus>;
  status(): Promise<GatewayStatus>;
}

type GatewayEnv = Pick<Env, "DISCORD_GATEWAYS">;

/** The ids of the accounts that want ordinary messages. */
export function gatewayAccounts({ channels }: Pick<Config, "channels">): string[] {
  const accounts = Object.entries(channels.discord?.accounts ?? {});
  return accounts.flatMap(([id, account]) => ((account as DiscordAccount).gateway ? [id] : []));
}

/**
 * Starts the connections that are not there. One that is no longer wanted ends by itself, within a minute. An object
 * that does not answer is logged, and asked again the next time.
 * @param again whether those whose last try failed are tried now
 * @param channel nothing is started for others
 */
export async function startGateways(
  env: GatewayEnv,
  config: Pick<Config, "channels">,
  { again = false, channel = discord.id } = {},
): Promise<void> {
  const accounts = channel === discord.id ? gatewayAccounts(config) : [];
  await Promise.all(
    accounts.map(async (accountId) => {
      try {
        await gatewayOf(env, accountId).start(accountId, again);
      } catch (error) {
        log("warn", "gateway.not_started", { channel: "discord", accountId, error: messageOf(error) });
      }
    }),
  );
}

/** How the connection of an account is. @throws any error of the platform */
export function gatewayStatus(env: GatewayEnv, accountId: string): Promise<GatewayStatus> {
  return gatewayOf(env, accountId).status();
}

function gatewayOf({ DISCORD_GATEWAYS }: GatewayEnv, accountId: string): Gateway {
  return DISCORD_GATEWAYS.getByName(accountId);
}
