import type { ContextRules, PruningRules } from "../agent/context-rules.ts";
import { flushPrompt } from "../agent/memory-flush.ts";
import type { AnyTool } from "../agent/tool.ts";
import { resolveAlias } from "../config/agents.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { Config, Services } from "../services/services.ts";
import type { TurnContext } from "./turn-context.ts";

type Defaults = Config["agents"]["defaults"];

/** How an agent's conversations are kept within what its model takes, but for the memory flush. */
export function contextRules({ agent: { defaults }, services }: Pick<TurnContext, "agent" | "services">): ContextRules {
  const { compaction, contextTokens } = defaults;
  const { reserveTokens, keepRecentTokens, model } = compaction;
  const pruning = rulesIn(defaults);
  const summarizer = model && { summarizer: services.model(resolveAlias(services.config, model)) };
  return { contextTokens, reserveTokens, keepRecentTokens, ...summarizer, ...(pruning && { pruning }) };
}

/** The same for a turn. Where its tools may write for its speaker, and nobody else has sent it, it also keeps a memory. */
export function turnRules(context: TurnContext, tools: readonly AnyTool[], now: number): ContextRules {
  const { agent, principal, session } = context;
  const rules = contextRules(context);
  const { enabled, softThresholdTokens, prompt } = agent.defaults.compaction.memoryFlush;
  const writes = principal.owner && tools.some(({ name }) => name === "write") && !session.settings.spawned;
  if (!enabled || !writes) return rules;
  const date = dateIn(agent.defaults.userTimezone, now);
  const asked = prompt === undefined ? flushPrompt(date) : `[System] ${prompt.replaceAll("YYYY-MM-DD", date)}`;
  return { ...rules, flush: { softThresholdTokens, prompt: asked } };
}

/** How old results are shortened in what a model sees. A configuration that is not valid shortens none. */
export function pruningRules(services: () => Services): PruningRules | undefined {
  try {
    return rulesIn(services().config.agents.defaults);
  } catch (error) {
    if (error instanceof IsopodError) return undefined;
    throw error;
  }
}

function rulesIn({ contextPruning: { mode, ...rules } }: Defaults): PruningRules | undefined {
  return mode === "off" ? undefined : rules;
}

/** Today's date in a time zone, as YYYY-MM-DD; in UTC where the zone is none. */
function dateIn(timeZone: string | undefined, now: number): string {
  try {
    return new Intl.DateTimeFormat("en-CA", { timeZone: timeZone ?? "UTC" }).format(now);
  } catch (error) {
    log("warn", "time_zone.unknown", { timeZone: timeZone ?? "", error: messageOf(error) });
    return new Date(now).toISOString().slice(0, 10);
  }
}
