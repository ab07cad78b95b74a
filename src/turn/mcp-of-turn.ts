import type { TurnContext } from "./turn-context.ts";
import type { TurnMcp } from "./turn-deps.ts";

const NONE: TurnMcp = { open: async () => ({ tools: [], notes: [] }), close: () => undefined };

/** The MCP servers of a turn. What speaks to them is loaded only where the agent has some. */
export async function mcpOfTurn(context: TurnContext): Promise<TurnMcp> {
  if (context.agent.mcpServers.length === 0) return NONE;
  const { createTurnMcp } = await import("./turn-mcp.ts");
  return createTurnMcp(context);
}
