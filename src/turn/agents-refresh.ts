import { contextLimitsOf } from "../config/agents.ts";
import type { CoreConfig } from "../config/schema.ts";
import type { Message } from "../models/message.ts";
import { isSummary } from "../session-store/conversation-view.ts";
import type { BootstrapFiles } from "../workspace/bootstrap.ts";
import { makeExcerpt, truncate } from "../workspace/truncate.ts";

/**
 * The key sections of AGENTS.md that the prompt repeats after a compaction, within
 * `contextLimits.postCompactionMaxChars`. They are needed only if AGENTS.md is truncated in the prompt: then what the
 * agent had read of the rest is lost with the compacted messages. Undefined if nothing is to be shown.
 * @param messages called only if needed
 */
export function agentsRefresh(
  { keySections }: BootstrapFiles,
  messages: () => readonly Message[],
  agentId: string,
  config: Pick<CoreConfig, "agents">,
): string | undefined {
  if (keySections === undefined || !messages().some(isSummary)) return undefined;
  const max = contextLimitsOf(config, agentId).postCompactionMaxChars;
  return truncate(makeExcerpt(keySections, max), max, "AGENTS.md").content;
}
