import { TRANSCRIPTS } from "../../memory/memory-paths.ts";
import { transcriptAt } from "../../memory/transcript-path.ts";
import { refusalToReach } from "../family/reach.ts";
import type { Config } from "../wiring.ts";

/**
 * Whether a turn of a session may see what stands at a path of its agent's memory: of transcripts, those of the sessions that
 * it may reach. Sub-agents' sessions are not remembered, so that none is of a descendant.
 */
export function transcriptReach(
  { key: ownKey, agentId }: { key: string; agentId: string },
  tools: Config["tools"],
): (path: string) => boolean {
  return (path) => {
    const place = transcriptAt(path, agentId);
    if (place === undefined) return !path.startsWith(TRANSCRIPTS);
    return refusalToReach({ tools, ownKey, otherKey: place.sessionKey, isDescendant: false }) === undefined;
  };
}
