import { transcriptReach } from "../services/memory/transcript-reach.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import type { RecallPort } from "../tools/memory.ts";
import { spawnDepth } from "./lineage.ts";
import type { TurnContext } from "./turn-context.ts";

/**
 * The port for searching the agent's memory; undefined if the turn may not. Only owners' turns may, and no sub-agent's:
 * its task contains what it needs, as with MEMORY.md. Opening the port reads nothing.
 */
export function turnRecall({ session, principal, agent, services }: TurnContext): RecallPort | undefined {
  if (!agent.memorySearch.enabled || !principal.owner || spawnDepth(session) > 0) return undefined;
  const { citations } = services.config.memory;
  return {
    memory: services.memoryOf(agent, transcriptReach({ key: session.key, agentId: agent.id }, services.config.tools)),
    cites: citations === "on" || (citations === "auto" && principal.place === "direct"),
    newFenceId,
  };
}
