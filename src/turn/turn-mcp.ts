import type { KeepPorts } from "../mcp/call-result.ts";
import { ConnectionPool } from "../mcp/connection-pool.ts";
import { type McpToolDeps, mcpTool } from "../mcp/mcp-tool.ts";
import { McpResources, resourceToolName } from "../mcp/server-resources.ts";
import type { ServerState } from "../mcp/server-state.ts";
import { serversNow } from "../mcp/servers-now.ts";
import { storedServers } from "../mcp/stored-servers.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { TurnContext } from "./turn-context.ts";
import type { OpenMcp, ToolsDeps, TurnMcp } from "./turn-deps.ts";
import { keepFile, keepImage, outsidePort } from "./turn-tools.ts";

/** Most tools of all servers together in a turn. */
const MAX_TOOLS = 1000;

/** The servers of a turn. In a preview they are as they are stored, and none is asked. */
export function createTurnMcp(context: TurnContext): TurnMcp {
  const { agent, services, runId } = context;
  const pool = new ConnectionPool(services.mcp);
  return {
    async open({ gate, suspect }, workspace) {
      const isPreview = runId === undefined;
      const servers = await (isPreview ? storedServers : serversNow)(agent.mcpServers, services.mcp);
      return openTools(servers, context, { pool, gate, suspect }, workspace);
    },
    close: () => pool.close(),
  };
}

function openTools(
  servers: readonly ServerState[],
  { principal, services }: TurnContext,
  { pool, gate, suspect }: Pick<ToolsDeps, "gate" | "suspect"> & { pool: ConnectionPool },
  workspace: Pick<Workspace, "write">,
): OpenMcp {
  const kept: KeepPorts = {
    keepImage: principal.owner ? (image) => keepImage("mcp", image, workspace) : undefined,
    keepFile: principal.owner ? (file) => keepFile("mcp", file, workspace) : undefined,
  };
  const deps: McpToolDeps = { pool, outside: outsidePort(services, suspect), ...kept };
  const allowed = servers.flatMap((server) =>
    server.tools.filter(({ name }) => gate.has(name)).map((listed) => mcpTool(server, listed, deps)),
  );
  const tools = allowed.slice(0, MAX_TOOLS);
  const readable = servers.filter(({ name, hasResources }) => hasResources && gate.has(resourceToolName(name)));
  return {
    tools,
    ...(readable.length > 0 && { resources: new McpResources(readable, { pool, ...kept }) }),
    notes: principal.owner ? [...resourceNotes(readable), ...notesOf(servers, allowed.length - tools.length)] : [],
  };
}

function resourceNotes(readable: readonly ServerState[]): string[] {
  if (readable.length === 0) return [];
  const addresses = readable.map(({ name }) => `mcp://${name}/`).join(", ");
  return [`MCP servers have resources, which ls lists and read shows as mcp://<server>/<uri>: ${addresses}.`];
}

/** They hold no word of a server. */
function notesOf(servers: readonly ServerState[], tooMany: number): string[] {
  const notes = servers.flatMap(({ name, trouble, pending }) => [
    ...(trouble === undefined
      ? []
      : [
          `The MCP server '${name}' cannot be used now (${trouble.kind}), so its tools are missing. Go on without them.`,
        ]),
    ...(pending.length === 0 ? [] : [`Tools of the MCP server '${name}' that wait for your owner: ${pending.length}.`]),
  ]);
  if (tooMany > 0) notes.push(`Tools of MCP servers that are left out because there are too many: ${tooMany}.`);
  return notes.length === 0 ? [] : [...notes, "Where one of them is needed, tell your owner, whom /mcp shows more."];
}
