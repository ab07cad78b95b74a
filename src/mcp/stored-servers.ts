import type { McpServer } from "../config/mcp-schema.ts";
import type { McpDeps } from "./mcp-deps.ts";
import { type ServerState, serverState } from "./server-state.ts";
import { readServer } from "./server-store.ts";

/** The state of servers from what is stored: none is asked. @throws the error of D1 */
export function storedServers(
  servers: readonly McpServer[],
  { database }: Pick<McpDeps, "database">,
): Promise<ServerState[]> {
  return Promise.all(servers.map(async (server) => serverState(server, await readServer(database, server.name))));
}
