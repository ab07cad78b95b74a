import { listPairings, pairedPerson } from "../channels/pairing.ts";
import { lastRoutes } from "../schedule/schedule-store.ts";
import type { Config } from "../services/services.ts";
import type { PeopleRoutes } from "./slot-requests.ts";

/** Where the people of some agents are; two reads of D1. @throws any error of D1 */
export async function peopleRoutes(
  database: D1Database,
  { commands }: Pick<Config, "commands">,
  agentIds: readonly string[],
): Promise<Map<string, PeopleRoutes>> {
  const [routes, pairings] = await Promise.all([lastRoutes(database, agentIds), listPairings(database)]);
  const paired = pairings.filter(({ owner, approvedAt }) => owner && approvedAt !== null);
  const owners = [...commands.ownerAllowFrom, ...paired.map(pairedPerson)];
  return new Map(agentIds.map((agentId) => [agentId, { last: routes.get(agentId), owners }]));
}
