import type { LoopDeps } from "../agent/loop-deps.ts";
import { type AnyTool, toolSchema } from "../agent/tool.ts";
import { isMcpTool } from "../security/tool-policy.ts";
import { toolsOnDemand } from "../tools/find-tools.ts";

/** Most tools whose schemas a request carries from the start, and most characters of those of MCP servers. */
const MAX_TOOLS = 40;
const MAX_CHARS = 60_000;

/** The tools of a turn, and those whose schemas its requests carry. */
export interface OfferedTools {
  tools: AnyTool[];
  offers: NonNullable<LoopDeps["offers"]>;
}

/**
 * Keeps the schemas of MCP servers' tools back where a turn has many tools, and adds the tool that finds them. No policy
 * is asked about that one: it shows only what the policy gives.
 * @param clientTools how many tools the client adds
 */
export function offerTools(all: readonly AnyTool[], clientTools = 0): OfferedTools {
  const ofServers = all.filter(({ name }) => isMcpTool(name));
  const isMany = all.length + clientTools > MAX_TOOLS || charsOf(ofServers) > MAX_CHARS;
  if (ofServers.length === 0 || !isMany) return { tools: [...all], offers: () => all };
  const { find, foundIn } = toolsOnDemand(ofServers);
  const always = [...all.filter(({ name }) => !isMcpTool(name)), find];
  return { tools: [...always, ...ofServers], offers: (messages) => [...always, ...foundIn(messages)] };
}

function charsOf(tools: readonly AnyTool[]): number {
  return tools.reduce((chars, tool) => chars + JSON.stringify(toolSchema(tool)).length, 0);
}
