import type { Agent } from "../config/agents.ts";
import { transcriptReach } from "../services/memory/transcript-reach.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import type { Services } from "../services/services.ts";
import type { RecallPort } from "../tools/memory.ts";
import { spawnDepth } from "./lineage.ts";
import type { TurnContext } from "./turn-context.ts";

/**
 * How a turn searches its agent's memory; undefined where it may not: only owners' turns do. A sub-agent does not either: as with
 * MEMORY.md, what it has to know is in its task. Nothing is asked of the memory by that.
 */
export function turnRecall(
  { session, principal }: TurnContext,
  agent: Agent,
  services: Services,
): RecallPort | undefined {
  if (!agent.memorySearch.enabled || !principal.owner || spawnDepth(session) > 0) return undefined;
  const { citations } = services.config.memory;
  return {
    memory: services.memoryOf(agent, transcriptReach({ key: session.key, agentId: agent.id }, services.config.tools)),
    cites: citations === "on" || (citations === "auto" && principal.place === "direct"),
    newFenceId,
  };
}
