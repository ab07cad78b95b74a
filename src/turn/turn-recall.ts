import type { Agent } from "../config/agents.ts";
import { transcriptReach } from "../services/memory/transcript-reach.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import type { Wiring } from "../services/services.ts";
import type { RecallPort } from "../tools/recall-port.ts";
import { depthOf } from "./lineage.ts";
import type { Occasion } from "./turn-context.ts";

/**
 * How a turn searches its agent's memory; undefined where it may not: only owners' turns do. A sub-agent does not either: as with
 * MEMORY.md, what it has to know is in its task. Nothing is asked of the memory by that.
 */
export function turnRecall({ session, speaker }: Occasion, agent: Agent, wiring: Wiring): RecallPort | undefined {
  if (!agent.memorySearch.enabled || !speaker.owner || depthOf(session) > 0) return undefined;
  const { citations } = wiring.config.memory;
  return {
    memory: wiring.memoryOf(agent, transcriptReach({ key: session.key, agentId: agent.id }, wiring.config.tools)),
    cites: citations === "on" || (citations === "auto" && speaker.place === "direct"),
    newFenceId,
  };
}
