import type { Agent } from "../../config/agents.ts";
import type { RecallPort } from "../../tools/recall-port.ts";
import { depthOf } from "../family/caller.ts";
import { transcriptReach } from "../memory/transcript-reach.ts";
import { newFenceId } from "../new-fence-id.ts";
import type { Wiring } from "../wiring.ts";
import type { Occasion } from "./occasion.ts";

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
