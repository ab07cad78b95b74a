import { findChannel } from "../channels/index.ts";
import { listPairings, pairedPerson } from "../channels/pairing.ts";
import type { Services } from "./services.ts";

/**
 * The owners on all channels, `channel:id` or an id on any channel: those of `commands.ownerAllowFrom`, then those who
 * were paired. @throws any error of D1
 */
export async function listOwners(
  { config, plugins }: Pick<Services, "config" | "plugins">,
  database: D1Database,
): Promise<string[]> {
  const paired = (await listPairings(database)).filter(({ owner, approvedAt }) => owner && approvedAt !== null);
  return [
    ...config.commands.ownerAllowFrom,
    ...paired.map((pairing) => pairedPerson(pairing, findChannel(pairing.channelId, plugins.channels) ?? {})),
  ];
}
