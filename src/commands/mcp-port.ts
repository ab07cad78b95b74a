import { accepting } from "../mcp/list-server.ts";
import type { McpServer } from "../mcp/mcp-deps.ts";
import { pendingCode, type ServerState, serverState } from "../mcp/server-state.ts";
import { readServer, saveAccepted } from "../mcp/server-store.ts";
import { storedServers } from "../mcp/servers-now.ts";
import { noteSecurityEvent } from "../services/security-events.ts";
import type { Services } from "../services/services.ts";

/** The MCP servers of the configuration. Every call may be repeated; it rejects if D1 fails. */
export interface McpPort {
  list(): Promise<ServerState[]>;
  /**
   * Accepts the tools of a server that wait, if they are those of the code.
   * @returns their names there, none if they were accepted before; undefined if the code is not theirs
   */
  accept(server: string, code: string): Promise<string[] | undefined>;
}

/** The servers as they are stored in D1. */
export function mcpPort({ config, mcp: { database, now } }: Services): McpPort {
  const servers = Object.entries(config.mcp.servers).map(([name, server]): McpServer => ({ name, config: server }));
  return {
    list: () => storedServers(servers, { database }),
    async accept(name, code) {
      const server = servers.find((one) => one.name === name);
      const row = server && (await readServer(database, name));
      if (server === undefined || row === undefined) return undefined;
      const { pending } = serverState(server, row);
      if (pending.length === 0) return [];
      if ((await pendingCode(pending)) !== code) return undefined;
      const tools = pending.map(({ tool }) => tool);
      await saveAccepted(database, name, { ...row.accepted, ...accepting(tools) });
      const detail = tools.map(({ tool }) => tool).join(", ");
      await noteSecurityEvent(
        database,
        { kind: "mcp", agentId: "", by: "chat", subject: `accepted of ${name}`, detail },
        now(),
      );
      return tools.map(({ tool }) => tool);
    },
  };
}
