import { type AnyTool, toolSchema } from "../agent/tool.ts";
import type { ConnectionPool } from "../mcp/connection-pool.ts";
import type { McpServer } from "../mcp/mcp-deps.ts";
import { mcpTool } from "../mcp/mcp-tool.ts";
import type { ServerState } from "../mcp/server-state.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { TurnGate } from "./gate.ts";
import type { TurnContext } from "./turn-context.ts";
import type { ToolsDeps } from "./turn-deps.ts";
import { keepImage, outsidePort } from "./turn-tools.ts";

/** Most tools of all servers together in a turn, and most characters of what a model reads of them. */
const MAX_TOOLS = 64;
const MAX_CHARS = 60_000;

/** The servers that the agent of a turn has. */
export function agentServers({ agent, services }: TurnContext): McpServer[] {
  return Object.entries(services.config.mcp.servers)
    .filter(([name, { enabled }]) => enabled && (agent.mcpServers?.includes(name) ?? true))
    .map(([name, config]) => ({ name, config }));
}

/** The tools of MCP servers that a turn may have, and what to tell its agent of those that it lacks. */
export function turnMcp(
  context: TurnContext,
  servers: readonly ServerState[],
  { pool, gate, suspect }: Pick<ToolsDeps, "suspect"> & { pool: ConnectionPool; gate: TurnGate },
  workspace: Pick<Workspace, "write">,
): { tools: AnyTool[]; notes: string[] } {
  const { principal, services } = context;
  const outside = outsidePort(services, suspect);
  const deps = {
    pool,
    outside,
    keepImage: principal.owner
      ? (image: Parameters<typeof keepImage>[1]) => keepImage("mcp", image, workspace)
      : undefined,
  };
  const allowed = servers.flatMap((server) =>
    server.tools.filter(({ name }) => gate.has(name)).map((listed) => mcpTool(server, listed, deps)),
  );
  const tools = withinBounds(allowed);
  return { tools, notes: principal.owner ? notesOf(servers, allowed.length - tools.length) : [] };
}

function withinBounds(tools: readonly AnyTool[]): AnyTool[] {
  let chars = 0;
  const isPast = (tool: AnyTool) => {
    chars += JSON.stringify(toolSchema(tool)).length;
    return chars > MAX_CHARS;
  };
  const end = tools.findIndex(isPast);
  return tools.slice(0, end === -1 ? MAX_TOOLS : Math.min(end, MAX_TOOLS));
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
