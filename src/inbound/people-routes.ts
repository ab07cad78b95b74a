import { lastRoutes } from "../schedule/schedule-store.ts";
import { listOwners } from "../services/owners.ts";
import type { Services } from "../services/services.ts";
import type { PeopleRoutes } from "./slot-requests.ts";

/** Where the people of some agents are; two reads of D1. @throws any error of D1 */
export async function peopleRoutes(
  database: D1Database,
  services: Pick<Services, "config" | "plugins">,
  agentIds: readonly string[],
): Promise<Map<string, PeopleRoutes>> {
  const [routes, owners] = await Promise.all([lastRoutes(database, agentIds), listOwners(services, database)]);
  return new Map(agentIds.map((agentId) => [agentId, { last: routes.get(agentId), owners }]));
}
