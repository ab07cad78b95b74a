import { mainSessionKey } from "../../config/session-key.ts";
import { refusalToReach } from "../../config/session-reach.ts";
import type { Visibility } from "../../memory/agent-memory.ts";
import { TRANSCRIPTS } from "../../memory/memory-paths.ts";
import { parseTranscriptPath, transcriptFolder } from "../../memory/transcript-path.ts";
import type { Config } from "../services.ts";

/**
 * The part of its agent's memory that a turn may see: of transcripts, those of the sessions that it may reach.
 * Sub-agents' sessions are not indexed, so no indexed session is a descendant, and the turn reaches either all or none
 * of the agent's other sessions. The conversation in progress is not searched.
 */
export function transcriptReach(
  { key: ownKey, sessionId, agentId }: { key: string; sessionId?: string | undefined; agentId: string },
  tools: Config["tools"],
): Visibility {
  const reaches = (otherKey: string) => refusalToReach({ tools, ownKey, otherKey, isDescendant: false }) === undefined;
  const main = mainSessionKey(agentId);
  const another = ownKey === main ? `agent:${agentId}:direct:another` : main;
  return {
    mayShow(path) {
      const place = parseTranscriptPath(path, agentId);
      if (place === undefined) return !path.startsWith(TRANSCRIPTS);
      // The turn has the conversation that it is in before it.
      return place.conversation !== sessionId && reaches(place.sessionKey);
    },
    ...(!reaches(another) && { transcripts: transcriptFolder(ownKey) }),
  };
}
