import { mcpServersIn } from "../config/mcp-schema.ts";
import { fixFor } from "../mcp/failure.ts";
import { type PendingTool, pendingCode, type ServerState, serverState } from "../mcp/server-state.ts";
import { accepting, readServer, saveAccepted, saveFailure } from "../mcp/server-store.ts";
import { signOut } from "../mcp/sign-in.ts";
import { storedServers } from "../mcp/stored-servers.ts";
import { noteSecurityEvent } from "../services/security-events.ts";
import type { Services } from "../services/services.ts";

/** Most tools that are shown and accepted at once: nothing is accepted that was not shown. */
const MAX_AT_ONCE = 10;

/** A server, with what its owner can do. */
export interface ListedServer extends ServerState {
  /** What to do about its trouble. */
  fix?: string;
  /** The tools that can be accepted now, the first of those that wait. */
  acceptable: readonly PendingTool[];
  /** Their code; absent if none wait. */
  code?: string;
}

/** The MCP servers of the configuration. Every call may be repeated; it rejects if D1 fails. */
export interface McpPort {
  list(): Promise<ListedServer[]>;
  /**
   * Accepts the tools of a server that can be accepted now, if they are those of the code.
   * @returns their names there, none if they were accepted before; undefined if the code is not theirs
   */
  accept(server: string, code: string): Promise<string[] | undefined>;
  /**
   * Ends the sign-in at a server.
   * @returns whether its tokens were revoked there; undefined if nobody was signed in
   */
  signOut(server: string): Promise<boolean | undefined>;
}

/** The servers as they are stored in D1. */
export function mcpPort({ config, mcp }: Services): McpPort {
  const { database, now } = mcp;
  const servers = mcpServersIn(config.mcp);
  return {
    async list() {
      const states = await storedServers(servers, { database });
      return Promise.all(states.map((state) => listed(state, config.channels.defaults?.publicUrl)));
    },
    async accept(name, code) {
      const server = servers.find((one) => one.name === name);
      const row = server && (await readServer(database, name));
      if (server === undefined || row === undefined) return undefined;
      const pending = serverState(server, row).pending.slice(0, MAX_AT_ONCE);
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
    async signOut(name) {
      const server = servers.find((one) => one.name === name);
      if (server === undefined) return undefined;
      const isRevoked = await signOut(server, mcp);
      if (isRevoked === undefined) return undefined;
      const failure = { kind: "signed_out", message: "Its owner has signed out." } as const;
      await saveFailure(database, { name, url: server.config.url }, failure, now());
      const detail = isRevoked ? "its tokens are revoked" : "its tokens are deleted here, and not revoked there";
      await noteSecurityEvent(
        database,
        { kind: "mcp", agentId: "", by: "chat", subject: `signed out of ${name}`, detail },
        now(),
      );
      return isRevoked;
    },
  };
}

async function listed(state: ServerState, origin: string | undefined): Promise<ListedServer> {
  const { name, trouble } = state;
  const acceptable = state.pending.slice(0, MAX_AT_ONCE);
  return {
    ...state,
    acceptable,
    ...(trouble !== undefined && trouble.kind !== "new" && { fix: fixFor(trouble, name, origin) }),
    ...(acceptable.length > 0 && { code: await pendingCode(acceptable) }),
  };
}
