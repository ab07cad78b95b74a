import { transcriptReach } from "../services/memory/transcript-reach.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import type { RecallPort } from "../tools/recall-port.ts";
import { spawnDepth } from "./lineage.ts";
import type { TurnContext } from "./turn-context.ts";

/**
 * How a turn searches its agent's memory; undefined if it may not. Only owners' turns do, and no sub-agent's: as with
 * MEMORY.md, what a sub-agent has to know is in its task. Opening the port reads nothing.
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
