import { contextLimitsOf } from "../config/agents.ts";
import type { CoreConfig } from "../config/schema.ts";
import type { Message } from "../models/message.ts";
import { isSummary } from "../session-store/conversation-view.ts";
import type { BootstrapFiles } from "../workspace/bootstrap.ts";
import { excerptOf, truncate } from "../workspace/truncate.ts";

/**
 * What the prompt shows again of AGENTS.md once a conversation was summarized: its key sections, within
 * `contextLimits.postCompactionMaxChars`. A summary takes nothing away of an AGENTS.md that is in the prompt whole; what
 * the agent had read of one that is cut is gone, though. Undefined where nothing is to be shown.
 * @param messages asked for only where it matters
 */
export function agentsRefresh(
  { keySections }: BootstrapFiles,
  messages: () => readonly Message[],
  agentId: string,
  config: Pick<CoreConfig, "agents">,
): string | undefined {
  if (keySections === undefined || !messages().some(isSummary)) return undefined;
  const max = contextLimitsOf(config, agentId).postCompactionMaxChars;
  return truncate(excerptOf(keySections, max), max, "AGENTS.md").content;
}
