import type { ContextRules, PruningRules } from "../agent/context-rules.ts";
import { flushPrompt } from "../agent/memory-flush.ts";
import type { AnyTool } from "../agent/tool.ts";
import { resolveAlias } from "../config/agents.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { localTime } from "../lib/zone.ts";
import type { Config, Services } from "../services/services.ts";
import type { TurnContext } from "./turn-context.ts";

type Defaults = Config["agents"]["defaults"];

/** The rules that keep a conversation within the model's context window, without the memory flush. */
export function contextRules({ agent: { defaults }, services }: Pick<TurnContext, "agent" | "services">): ContextRules {
  const { compaction, contextTokens } = defaults;
  const { reserveTokens, keepRecentTokens, model } = compaction;
  const pruning = rulesIn(defaults);
  const summarizer = model && { summarizer: services.model(resolveAlias(services.config, model)) };
  return { contextTokens, reserveTokens, keepRecentTokens, ...summarizer, ...(pruning && { pruning }) };
}

/**
 * The context rules of a turn. With a memory flush if its tools may write for an owner and no other session has started
 * it.
 */
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

/** How old tool results are pruned in a model's view. None are if the configuration is not valid. */
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

/** Today's date in a time zone, as YYYY-MM-DD; in UTC if the time zone is not valid. */
function dateIn(timeZone: string | undefined, now: number): string {
  try {
    return localTime(now, timeZone ?? "UTC").slice(0, 10);
  } catch (error) {
    log("warn", "time_zone.unknown", { timeZone: timeZone ?? "", error: messageOf(error) });
    return new Date(now).toISOString().slice(0, 10);
  }
}
