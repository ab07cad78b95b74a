import type { McpServer } from "../config/mcp-schema.ts";
import { comesWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { listServerLater } from "./list-server.ts";
import type { McpDeps } from "./mcp-deps.ts";
import { isListingDue, type ServerState, serverState } from "./server-state.ts";
import { knownServer, readServer } from "./server-store.ts";

/** How long a turn waits for a server that has never answered. */
const FIRST_ANSWER_MS = 3000;

/**
 * What turns can have of servers now. A server whose listing is old is asked again in the background; only the first
 * answer of all is waited for, and not long. Never rejects.
 */
export function serversNow(servers: readonly McpServer[], deps: McpDeps): Promise<ServerState[]> {
  return Promise.all(
    servers.map(async (server) => {
      const { database, now, waitUntil } = deps;
      try {
        const row = await knownServer(database, server.name, now(), waitUntil);
        if (!isListingDue(server, row, now())) return serverState(server, row);
        const listing = listServerLater(server, deps);
        if (row?.url === server.config.url || listing === undefined) return serverState(server, row);
        await comesWithin(FIRST_ANSWER_MS, listing);
        return serverState(server, await readServer(database, server.name));
      } catch (error) {
        log("error", "mcp.not_read", { server: server.name, error: messageOf(error) });
        return serverState(server, undefined);
      }
    }),
  );
}
